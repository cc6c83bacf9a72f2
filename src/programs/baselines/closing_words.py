"""Reader of the verdict at the end of a model's reasoning: "Therefore, the answer is: False." and similar forms.

Limitations: only explicit answers count. "The answer is not clear" and a text without such a sentence have no verdict;
the model is then asked for one.
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
    """Return the verdict: the last line if it is only the word, else the last such sentence; None without either."""
    lines = text.strip().splitlines()
    if lines and (alone := _ALONE.fullmatch(lines[-1])):
        return as_value(alone[1])
    found = [match[1] or match[2] for match in _ANSWER.finditer(text)]
    return as_value(found[-1]) if found else None
