"""Tools for a lecturer: handouts, slides, homework, the class's chart, the trial of a hub."""
