"""From a claim to programs of steps, and from their execution to a verdict."""
