"""Written justifications of verdicts: draft, check against the evidence, refine."""
