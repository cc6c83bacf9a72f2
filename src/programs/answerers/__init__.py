"""Answerers of the steps of programs, and their sources of evidence."""
