"""The outputs of a training: its folder with model card and loss curve, and its line in the results file."""
