"""What a justification says of its own reading, which is no statement about the evidence."""

import re

AS_READ = "as a small model reads it"
_HEDGE = re.compile(rf"; {AS_READ}, .*$", re.DOTALL)


def without_hedge(sentence: str) -> str:
    """Return the sentence without what it says of its own reading."""
    return _HEDGE.sub(".", sentence)
