"""The lines of a program's text that say something, without what chat models put around them.

Fences, `def program():`, `return`, comments, numbering are taken away; where a new claim begins, reading ends.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

_NEXT_CLAIM = re.compile(r"#\s*The claim is\b", re.IGNORECASE)
_FENCE = re.compile(r"(?:```|~~~)\s*\w*$")
_HEAD = re.compile(r"def\s+\w+\s*\([^()]*\)\s*(?:->\s*\w+\s*)?:\s*", re.IGNORECASE)
_BULLET = re.compile(r"(?:[-*•]|\d{1,2}[.)])\s+")
_RETURN = re.compile(r"return\b\s*")


class Line(NamedTuple):
    """`number` counts from 1; `text` is not empty and has single spaces."""

    number: int
    text: str


def source_lines(text: str) -> Iterator[Line | None]:
    """None stands for a line that says nothing: no text goes on beyond it."""
    begun = False
    for number, raw in enumerate(re.split(r"\r\n|\r|\n", text), start=1):
        line = " ".join(raw.split())
        if begun and _NEXT_CLAIM.match(line):
            return
        line = _HEAD.sub("", line, count=1) if _HEAD.match(line) else line
        line = _BULLET.sub("", line, count=1) if _BULLET.match(line) else line
        if line.startswith("`") and line.endswith("`") and not _FENCE.match(line):
            line = line.strip("`").strip()
        if returned := _RETURN.match(line):
            line = line[returned.end() :] if "(" in line else ""
        says_nothing = not line or line.startswith("#") or _FENCE.match(line)
        begun = begun or not says_nothing
        yield None if says_nothing else Line(number, line)
