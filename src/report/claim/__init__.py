"""The page of one claim: its contents, from a run's files or from a check, and its HTML."""
