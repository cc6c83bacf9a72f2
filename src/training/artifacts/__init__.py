"""What a training leaves: its folder with card and loss curve, its line in the results file."""
