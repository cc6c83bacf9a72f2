"""The training loop of all models: order, schedule, checkpoints, progress."""
