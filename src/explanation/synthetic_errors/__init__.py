"""Synthetic errors: explanations with exactly one known error, and the same texts without it (twins), to measure
checks.
"""
