"""What the verdict model learns from, and how it is scored and calibrated."""
