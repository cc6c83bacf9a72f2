"""Baselines of fact-checking by programs: models that judge a claim as a whole."""
