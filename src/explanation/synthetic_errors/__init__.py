"""Explanations with exactly one error that is known, and their twins without it: what checks are measured on."""
