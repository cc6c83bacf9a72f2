"""Synthetic errors: explanations with exactly one known error, and their twins without it, to measure checks."""
