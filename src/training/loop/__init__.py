"""The loop that trains any of the models: order, pace, checkpoints, progress."""
