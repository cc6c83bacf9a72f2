"""Insertion of page text into prompts: the page cannot change the prompt around it."""

import re

_NUMBER = re.compile(r"\[(\s*\d+(?:\s*[,;-]\s*\d+)*\s*)\]")


def fenced(text: str) -> str:
    """Return the text as one line without marks such as [2], which are the numbers of pieces of evidence."""
    return _NUMBER.sub(r"(\1)", " ".join(text.split()))
