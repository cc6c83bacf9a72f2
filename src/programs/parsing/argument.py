r"""Quoted argument of a call: from its first quote to the quote before the call's closing parenthesis.

Quotes inside the argument need no backslash. These open and close an argument like plain quotes: typographic quotes,
doubled ones (`''`), a quote after a backslash, and quotes with a prefix (`f"`). An argument that is not closed ends
with its line.
"""

import re
from typing import NamedTuple

_DOUBLE = ('"""', "''", "``", '"', "\u201c", "\u201d", "\u201e", "\u00ab", "\u00bb")
_SINGLE = ("'''", "'", "\u2018", "\u2019", "`")
_QUOTE = "|".join(sorted((*_DOUBLE, *_SINGLE), key=len, reverse=True))
_OPENING = re.compile(rf"\s*(?:[A-Za-z_]\w*\s*=\s*)?[fFrRbBuU]{{0,2}}(?P<slash>\\?)(?P<quote>{_QUOTE})")
_CLOSING = re.compile(rf"(?P<quote>{_QUOTE})\s*,?\s*\)")
_SAME, _ALIKE, _OTHER = range(3)
_TYPED = {**dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb", '"'), **dict.fromkeys("\u2018\u2019`", "'"), "``": "''"}
_MATCHES = {"\u201c": "\u201d", "\u201e": "\u201d", "\u2018": "\u2019", "\u00ab": "\u00bb"}

CALL = re.compile(
    r"(?:(?P<target>[A-Za-z_]\w*)\s*(?::\s*\w+\s*)?=(?!=)\s*)?(?P<function>question|verify|predict)\s*\(", re.IGNORECASE
)
SPECIAL = re.compile(r"<\|[^|<>]{1,40}\|>|</?s>")  # end tokens of models
_STATEMENT = rf"(?:[A-Za-z_]\w*\s*=(?!=)|{CALL.pattern.replace('?P<target>', '?:').replace('?P<function>', '?:')})"
_AT_END = re.compile(rf"\s*[.,`]*\s*(?:$|\#\s|;[\s.,;`]*(?:$|\#|{_STATEMENT}))", re.IGNORECASE)
_AT_COMMENT = re.compile(rf"\s*(?:\#|{SPECIAL.pattern})")
_IN_EXPRESSION = re.compile(r"\s*(?:$|\)|(?:and|or)\b|[&|;#])", re.IGNORECASE)
_SPLICED = re.compile(r"""["']\s*\+\s*([A-Za-z_]\w*)\s*\+\s*[fF]?["']""")
_CODE = re.compile(
    r"""["']\s*(?:[+%]|\.\s*[a-z]\w*\s*\()"""  # concatenation or formatting of strings
    r"""|["'][^"']{0,40}\b(?:Question|Verify|Predict|verify|predict)\("""  # another call
)
_COMMENT = re.compile(r"\s\#(?!\d)")
_VARIABLE = re.compile(r"\b(?:answer|fact)_\d+\b", re.IGNORECASE)


class Argument(NamedTuple):
    """The argument of a call. `end` is the place after the closing parenthesis.

    `closed` is True if the quote that opened the text also closes it; `plain` if the opening quote has no backslash.
    """

    text: str
    end: int
    closed: bool = True
    plain: bool = True


def is_quoted(text: str, start: int) -> bool:
    """Return True if the argument of the call whose parenthesis ends at `start` begins with a quote."""
    return _OPENING.match(text, start) is not None


def quoted(text: str, start: int, *, in_expression: bool = False) -> Argument | None:
    """Return the quoted text of the call whose parenthesis ends at `start`; None if no quote opens or closes it.

    The closing quote is one after whose parenthesis the statement ends, or the operand of an expression. Of several,
    the first that matches the opening quote counts. If there is none, the first quote before a parenthesis closes the
    text, and more code follows.
    """
    opening = _OPENING.match(text, start)
    if opening is None:
        return None
    for may_follow in (_IN_EXPRESSION,) if in_expression else (_AT_END, _AT_COMMENT, None):
        end = _closing(text, opening, may_follow)
        if end is not None:
            inside = text[opening.end() : end.start()].removesuffix("\\")
            closed = _TYPED.get(opening["quote"], opening["quote"]) == _TYPED.get(end["quote"], end["quote"])
            return Argument(_plain(inside), end.end(), closed, not opening["slash"])
    return None


def _closing(text: str, opening: re.Match[str], may_follow: re.Pattern[str] | None) -> re.Match[str] | None:
    """Return the closing quote whose parenthesis is followed by `may_follow`: the first of those most like the opening
    one."""
    best, least = None, _OTHER + 1
    for end in _CLOSING.finditer(text, opening.end()):
        unlike = _unlike(opening["quote"], end["quote"])
        if unlike < least and (may_follow is None or may_follow.match(text, end.end())):
            best, least = end, unlike
        if least == _SAME:
            break
    return best


def _unlike(opening: str, closing: str) -> int:
    if closing == _MATCHES.get(opening, opening):
        return _SAME
    return _ALIKE if (opening in _SINGLE) == (closing in _SINGLE) else _OTHER


def unclosed(text: str, start: int) -> Argument:
    """Return the rest of the text after the opening quote or parenthesis, without its closing parenthesis."""
    opening = _OPENING.match(text, start)
    begin = opening.end() if opening else start
    comment = _COMMENT.search(text, begin)
    rest = text[begin : comment.start() if comment else len(text)].rstrip("; ")
    if rest.endswith(")") and rest.count(")") > rest.count("("):
        rest = rest[:-1]
    found = _plain(rest.rstrip("\"'\u201d\u2019` "))
    if opening is None:
        found = _VARIABLE.sub(lambda name: f"{{{name[0]}}}", found)
    return Argument(found, len(text), False, not (opening and opening["slash"]))


def _plain(text: str) -> str:
    """Return the text without the backslashes of quotes.

    Simple concatenations with a variable become a placeholder; with any other code in it, the text is empty.
    """
    text = _SPLICED.sub(r"{\1}", text)
    if _CODE.search(text):
        return ""
    return " ".join(re.sub(r"""\\(["'])""", r"\1", text).replace("\\n", " ").split())
