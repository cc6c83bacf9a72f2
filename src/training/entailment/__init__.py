"""What the entailment model learns from, and how it is scored."""
