"""Readers of claims: those of HOVER and FEVEROUS-S with their evidence, and those of any file by text alone."""
