"""What a lecturer uses: handouts, slides, homework, the class's chart, the trial of a hub."""
