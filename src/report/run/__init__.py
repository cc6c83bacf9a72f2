"""Reader of a run's folder: the outputs of each step, by claim."""
