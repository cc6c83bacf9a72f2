"""The page of a run: facts, scores, errors and costs."""
