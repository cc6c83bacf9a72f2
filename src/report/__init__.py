"""What people look at: the results of a run, in words."""
