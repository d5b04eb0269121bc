"""Publishes the course: site, image, bundle, links, pins, licences."""
