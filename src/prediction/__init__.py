"""Verdicts from evidence, submissions and their scores."""
