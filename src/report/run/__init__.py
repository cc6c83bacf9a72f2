"""A run's folder, read once: what each step left there, by claim."""
