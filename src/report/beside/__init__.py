"""Two runs side by side: differences with intervals, and claim by claim what changed."""
