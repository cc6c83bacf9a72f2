"""Lines that would decide which others of a program are run, or what it returns instead of its label.

Such lines are never run, so the label of a program that has one is not known. Prose that begins as they do, as `return
the label` or `if you want more, ask: yes`, says nothing: two words of no meaning to Python stand side by side in it.

But: a line that ends in a colon, assigns, or calls one of the three functions counts, whatever its words are.
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
    """Whether a line, which has single spaces, is more than prose."""
    if not _BEGINS.match(line):
        return False
    code = _COMMENT.sub("", _TEXT.sub("''", line))
    return bool(_ACTS.search(code)) or not _TWO_WORDS.search(code)
