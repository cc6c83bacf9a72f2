"""How the text of a page goes into a prompt, so that it cannot change what stands around it."""

import re

_NUMBER = re.compile(r"\[(\s*\d+(?:\s*[,;-]\s*\d+)*\s*)\]")


def fenced(text: str) -> str:
    """Return the text as one line without marks such as [2], which are the numbers of pieces of evidence."""
    return _NUMBER.sub(r"(\1)", " ".join(text.split()))
