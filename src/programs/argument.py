r"""The text in a call of a program: from its first quote to the last one before the parenthesis that closes the call.

Quotes inside it need no backslash. Typographic quotes, doubled ones (`''`), a quote with a backslash before it and
prefixes (`f"`) open and close as plain ones do; a text that is not closed ends where its line does.
"""

import re
from typing import NamedTuple

_DOUBLE = ('"""', "''", "``", '"', "\u201c", "\u201d", "\u201e", "\u00ab", "\u00bb")
_SINGLE = ("'''", "'", "\u2018", "\u2019", "`")
_QUOTE = "|".join(sorted((*_DOUBLE, *_SINGLE), key=len, reverse=True))
_OPENING = re.compile(rf"\s*(?:[A-Za-z_]\w*\s*=\s*)?[fFrRbBuU]{{0,2}}(?P<slash>\\?)(?P<quote>{_QUOTE})")
_CLOSING = re.compile(rf"\\?(?P<quote>{_QUOTE})\s*\)")

CALL = re.compile(
    r"(?:(?P<target>[A-Za-z_]\w*)\s*(?::\s*\w+\s*)?=(?!=)\s*)?(?P<function>question|verify|predict)\s*\(", re.IGNORECASE
)
_AT_END = re.compile(rf"\s*[.,]?\s*(?:$|\#(?!\d)|;\s*(?:$|\#|{CALL.pattern}))", re.IGNORECASE)
_COMMENT = re.compile(r"\s\#(?!\d)")
_IN_EXPRESSION = re.compile(r"\s*(?:$|\)|(?:and|or)\b|[&|;#])", re.IGNORECASE)


class Argument(NamedTuple):
    """`end` is the place after the closing parenthesis; `closed` and `plain` say that nothing had to be repaired."""

    text: str
    end: int
    closed: bool = True
    plain: bool = True


def is_quoted(text: str, start: int) -> bool:
    """Whether the call whose parenthesis ends at `start` has a text in quotes."""
    return _OPENING.match(text, start) is not None


def quoted(text: str, start: int, *, in_expression: bool = False) -> Argument | None:
    """The quoted text of the call whose parenthesis ends at `start`; None where no quote opens, or none closes it."""
    opening = _OPENING.match(text, start)
    if opening is None:
        return None
    may_follow = _IN_EXPRESSION if in_expression else _AT_END
    ends = [end for end in _CLOSING.finditer(text, opening.end()) if may_follow.match(text, end.end())]
    single = opening["quote"] in _SINGLE
    alike = [end for end in ends if (end["quote"] in _SINGLE) == single]
    if not ends:
        return None
    end = (alike or ends)[0]
    return Argument(_plain(text[opening.end() : end.start()]), end.end(), bool(alike), not opening["slash"])


def unclosed(text: str, start: int) -> Argument:
    """What stands after the quote, or in a call without one, up to the end, its closing parenthesis left out."""
    opening = _OPENING.match(text, start)
    begin = opening.end() if opening else start
    comment = _COMMENT.search(text, begin)
    rest = text[begin : comment.start() if comment else len(text)].rstrip("; ")
    if rest.endswith(")") and rest.count(")") > rest.count("("):
        rest = rest[:-1]
    return Argument(_plain(rest.rstrip("\"'\u201d\u2019` ")), len(text), False, not (opening and opening["slash"]))


def _plain(text: str) -> str:
    return " ".join(re.sub(r"""\\(["'])""", r"\1", text).replace("\\n", " ").split())
