"""Downloads that survive the real web: bounded, polite, safe, and never an exception for what a server does."""
