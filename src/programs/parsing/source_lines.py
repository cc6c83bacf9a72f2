"""Lines of a program's text, without the decoration of chat models.

Removed are fences, `def program():`, `return label`, comments, numbering, bold type and end tokens of models. A call
that continues on further lines becomes one line. Reading ends where a new claim begins after a statement.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from src.programs.parsing.argument import CALL, SPECIAL, is_quoted, quoted

MOST_WRAPPED = 20

_NEXT_CLAIM = re.compile(r"#\s*The claim is\b", re.IGNORECASE)
_FENCE = re.compile(r"(?:```|~~~)\s*\w*$")
_HEAD = re.compile(r"def\s+\w+\s*\([^()]*\)\s*(?:->\s*\w+\s*)?:\s*", re.IGNORECASE)
_BULLET = re.compile(r"(?:[-*•]|\d{1,2}[.)])\s+")
_RETURN = re.compile(r"return\b\s*(?:label\b\s*)?[.;]?\s*(?=$|#)|return\s+(?=\w+\s*\()", re.IGNORECASE)
_BOLD = re.compile(r"(\*\*?|`)([A-Za-z_]\w*)\1\s*(?==)")
_QUOTED = re.compile("[\"'`\u2018-\u201e\u00ab\u00bb].*[\"'`\u2018-\u201e\u00ab\u00bb]|$")
_BYTE_ORDER_MARK = "\ufeff"
_BREAKS = re.compile(r"\r\n|\r|\n")


class Line(NamedTuple):
    """A line with content. `number` counts from 1; white space in `text` is collapsed."""

    number: int
    text: str


def line_count(text: str) -> int:
    """Return the number of lines, at least 1; empty lines at the end do not count."""
    return len(_BREAKS.split(text.rstrip("\r\n")))


def source_lines(text: str) -> Iterator[Line]:
    raw = [" ".join(line.split()) for line in _BREAKS.split(text.removeprefix(_BYTE_ORDER_MARK))]
    begun, at = False, 0
    while at < len(raw) and not (begun and _NEXT_CLAIM.match(_bare(raw[at]))):
        number, line = at + 1, _cleaned(raw[at])
        at += 1
        if CALL.match(line):
            begun = True
            line, at = _whole(line, raw, at)
        if line:
            yield Line(number, line)


def _bare(line: str) -> str:
    """Return the line without end tokens. Those between its first and last quote may be part of a text and stay."""
    if "<" not in line:
        return line
    quoted = _QUOTED.search(line)
    begin, end = quoted.span() if quoted else (len(line), len(line))
    return " ".join(f"{SPECIAL.sub(' ', line[:begin])}{line[begin:end]}{SPECIAL.sub(' ', line[end:])}".split())


def _cleaned(line: str) -> str:
    """Return the line without decoration; empty if nothing is left."""
    line = _bare(line)
    for around in (_HEAD, _BULLET, _RETURN):
        line = around.sub("", line, count=1) if around.match(line) else line
    for sign in ("`", "**"):
        if line.startswith(sign) and line.endswith(sign) and not _FENCE.match(line):
            line = line.strip(sign).strip()
    line = _BOLD.sub(r"\2 ", line, count=1) if _BOLD.match(line) else line
    return "" if line.startswith("#") or _FENCE.match(line) else line


def _whole(line: str, raw: list[str], at: int) -> tuple[str, int]:
    """Return the call joined with its continuation lines, and the place after them; unchanged if it is never closed."""
    text, end = line, at
    while not _is_closed(text) and end < min(len(raw), at + MOST_WRAPPED):
        further = raw[end]
        if CALL.match(_cleaned(further)) or _FENCE.match(_bare(further)):
            break
        text, end = _joined(text, further), end + 1
    return (_bare(text), end) if end > at and _is_closed(text) else (line, at)


def _joined(text: str, further: str) -> str:
    """Return the call with a further line. Comments are removed only outside of quoted texts."""
    call = CALL.match(text)
    if call and not is_quoted(text, call.end()):
        text, further = (re.sub(r"\s*#.*$", "", part) for part in (text, further))
    return f"{text.removesuffix(chr(92)).rstrip()} {further}".strip()


def _is_closed(text: str) -> bool:
    call = CALL.match(text)
    if call is None:
        return True
    if is_quoted(text, call.end()):
        return quoted(text, call.end()) is not None
    return closing(text[call.end() :]) >= 0


def closing(text: str) -> int:
    """Return the place of the parenthesis that closes the one opened before the text; -1 if there is none."""
    depth = 1
    for found in re.finditer(r"[()]", text):
        depth += 1 if found[0] == "(" else -1
        if depth == 0:
            return found.start()
    return -1
