"""Charts as inline SVG: a typed record in, escaped markup out."""
