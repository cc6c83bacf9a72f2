"""Baselines of the programs: models that judge a claim as a whole."""
