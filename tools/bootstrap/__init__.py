"""Sets up the course: runs on a bare Python with only the standard library, except for `train`."""
