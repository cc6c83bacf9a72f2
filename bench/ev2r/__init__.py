"""Ev2R on AVeriTeC: published systems beside each other, and the thresholds of the small judge."""
