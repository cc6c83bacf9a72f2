"""The list of a run's claims, with search, filters and sorting."""
