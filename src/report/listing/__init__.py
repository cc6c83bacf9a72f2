"""The list of a run's claims, to be searched, filtered and sorted."""
