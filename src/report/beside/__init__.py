"""Comparison of two runs: differences with intervals, and changes claim by claim."""
