"""Runs the notebooks, and measures, judges, shows and merges them."""
