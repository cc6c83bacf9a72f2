"""Written justifications of verdicts: drafted, checked against their evidence, refined."""
