"""From evidence to a verdict, a submission and its scores."""
