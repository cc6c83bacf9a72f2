"""Charts as inline SVG: from a typed record to escaped markup."""
