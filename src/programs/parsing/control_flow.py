"""Detection of control flow: lines that decide which other lines run, or what the program returns instead of its label.

Such lines are never executed, so the label of a program that contains one is unknown. Prose may begin with the same
words, as in `return the label` or `if you want more, ask: yes`. It is recognized by two adjacent words that are not
keywords of Python.

Limitations: a line that ends with a colon, assigns, or calls one of the three functions counts as control flow,
whatever its words are.
"""

import re

_BEGINS = re.compile(r"(?:if|elif|while)\b.*:|(?:else|try)\s*:|for\s+\w+\s+in\b.*:|return\b")
_TEXT = re.compile(r""""[^"]*"|'[^']*'""")
_COMMENT = re.compile(r"\s*\#.*")
_KEYWORD = (
    r"(?:and|as|assert|break|continue|del|elif|else|for|if|in|is|lambda|not|or|pass|print|raise|return|while|yield)\b"
)
_TWO_WORDS = re.compile(rf"\b(?!{_KEYWORD})[A-Za-z]\w*\s+(?!{_KEYWORD})[A-Za-z]")
_ACTS = re.compile(
    r":$|\b[A-Za-z_]\w*\s*=(?!=)|\b(?:question|verify|predict)\s*\("
    r"|^return\s+(?:not|true|false|none|(?:fact|answer)_\d+)\b",
    re.IGNORECASE,
)


def is_control_flow(line: str) -> bool:
    """Return True if the line is control flow and not prose; white space in `line` must be collapsed."""
    if not _BEGINS.match(line):
        return False
    code = _COMMENT.sub("", _TEXT.sub("''", line))
    return bool(_ACTS.search(code)) or not _TWO_WORDS.search(code)
