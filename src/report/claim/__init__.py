"""The page of one claim: what it shows, from a run's files or from a check, and how."""
