"""Sets the course up: what a bare Python runs, with the standard library alone, but for `train`."""
