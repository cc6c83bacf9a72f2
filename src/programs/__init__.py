"""Programs of steps: generated from claims, executed to verdicts."""
