"""Remarks of a justification on its own reading ("as a small model reads it"); they say nothing about the evidence."""

import re

AS_READ = "as a small model reads it"
_HEDGE = re.compile(rf"; {AS_READ}, .*$", re.DOTALL)


def without_hedge(sentence: str) -> str:
    """Return the sentence without its remark on its own reading."""
    return _HEDGE.sub(".", sentence)
