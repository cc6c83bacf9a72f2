"""The verdict at the end of what a model reasoned: "Therefore, the answer is: False." and forms near it.

But: only what says plainly that it is the answer. "The answer is not clear" and a text without such a sentence have no
verdict, and the model is asked for one.
"""

import re

from src.programs.functions import as_value
from src.records import Value

_ANSWER = re.compile(
    r"\banswer\b(?:\s*\([^()]*\))?(?:\s+is\b|\s*:)[\s:*_\"'(“]*"
    r"(?:(true|false)\b(?!\s*/|\W+(?:or|and|nor)\b)|(yes|no)\b(?=[^\w\s]|\s*$))",
    re.IGNORECASE | re.MULTILINE,
)
_ALONE = re.compile(r"\W*(true|false)\W*", re.IGNORECASE)


def closing_verdict(text: str) -> Value | None:
    """True or false as the last such sentence says, or a last line that is the word alone; None without either."""
    lines = text.strip().splitlines()
    if lines and (alone := _ALONE.fullmatch(lines[-1])):
        return as_value(alone[1])
    found = [match[1] or match[2] for match in _ANSWER.finditer(text)]
    return as_value(found[-1]) if found else None
