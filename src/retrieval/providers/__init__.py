"""Web search: one small protocol, one file a provider."""
