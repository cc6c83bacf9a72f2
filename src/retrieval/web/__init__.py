"""Downloads from the web: bounded, polite, safe, and without exceptions for what a server does."""
