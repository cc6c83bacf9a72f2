"""Answerers: models that answer the steps of programs, and their sources of evidence."""
