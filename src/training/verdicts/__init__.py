"""What the verdict model learns from, and how it is scored; temperature and biases are fitted on held-out claims."""
