"""End to end: what a check of one claim answers, on three sets of claims, beside systems that know less."""
