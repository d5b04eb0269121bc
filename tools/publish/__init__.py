"""Takes the course elsewhere: site, image, bundle, links, pins, licences."""
