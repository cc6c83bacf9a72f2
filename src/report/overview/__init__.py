"""The page of a run: what it is, how it scores, where it fails, what it took."""
