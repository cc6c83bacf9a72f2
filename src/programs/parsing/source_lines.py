"""Lines of a program's text, without the decoration of chat models, and the quoted arguments of their calls.

Removed are fences, `def program():`, `return label`, comments, numbering, bold type and end tokens of models. A call
that continues on further lines becomes one line. Reading ends where a new claim begins after a statement.

An argument goes from its first quote to the quote before the call's closing parenthesis. Quotes inside need no
backslash. These open and close an argument like plain quotes: typographic quotes, doubled ones (`''`), a quote after a
backslash, and quotes with a prefix (`f"`). An argument that is not closed ends with its line.

Control flow decides which other lines run, or what the program returns instead of its label. It is never executed, so
the label of a program that contains it is unknown. Prose may begin with the same words, as in `return the label` or `if
you want more, ask: yes`. It is recognized by two adjacent words that are not keywords of Python.

Limitations: a line that ends with a colon, assigns, or calls one of the three functions counts as control flow,
whatever its words are.
"""

import re
from collections.abc import Iterator
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
    """The text argument of a call.

    `text`: the text, without its quotes.
    `end`: index in the line after the closing parenthesis of the call.
    `closed`: True if the text is closed by the quote that opened it.
    `plain`: True if the opening quote has no backslash.
    """

    text: str
    end: int
    closed: bool = True
    plain: bool = True


def is_quoted(text: str, start: int) -> bool:
    """Return True if the argument of a call begins with a quote; `start` is the index after the opening parenthesis."""
    return _OPENING.match(text, start) is not None


def quoted(text: str, start: int, *, in_expression: bool = False) -> Argument | None:
    """Return the quoted argument of a call; None if no quote opens or closes it.

    `start` is the index after the opening parenthesis of the call. A quote can close the argument if a closing
    parenthesis follows it, and the statement ends there (with `in_expression`: the operand of an expression). The first
    such quote of the same kind as the opening one is taken. Without such a quote, the first one before a closing
    parenthesis is taken, and more code follows.
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
    """Return the match of the closing quote and its parenthesis, after which `may_follow` matches; None if there is
    none.

    If `may_follow` is None, anything may follow. Of several, the quote most like the opening one is returned, and of
    equally like ones the first.
    """
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
    """Return the argument of a call that is not closed: the rest of the line, without a comment.

    `start` is the index after the opening parenthesis. A final quote and the closing parenthesis of the call are
    removed.
    """
    opening = _OPENING.match(text, start)
    begin = opening.end() if opening else start
    comment = _COMMENT.search(text, begin)
    rest = text[begin : comment.start() if comment else len(text)].rstrip("; ")
    if rest.endswith(")") and rest.count(")") > rest.count("("):
        rest = rest[:-1]
    content = _plain(rest.rstrip("\"'\u201d\u2019` "))
    if opening is None:
        content = _VARIABLE.sub(lambda name: f"{{{name[0]}}}", content)
    return Argument(content, len(text), False, not (opening and opening["slash"]))


def _plain(text: str) -> str:
    """Return the text of an argument without backslashes before quotes.

    Simple concatenations with a variable become a placeholder. If the text contains other code, the result is empty.
    """
    text = _SPLICED.sub(r"{\1}", text)
    if _CODE.search(text):
        return ""
    return " ".join(re.sub(r"""\\(["'])""", r"\1", text).replace("\\n", " ").split())


_BEGINS = re.compile(r"(?:if|elif|while)\b.*:|(?:else|try)\s*:|for\s+\w+\s+in\b.*:|return\b")
_TEXT = re.compile(r""""[^"]*"|'[^']*'""")
_COMMENT_AT_END = re.compile(r"\s*\#.*")
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
    code = _COMMENT_AT_END.sub("", _TEXT.sub("''", line))
    return bool(_ACTS.search(code)) or not _TWO_WORDS.search(code)


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
    """A line of a program's text; empty lines are left out.

    `number`: number of the line in the text as received, from 1.
    `text`: the line, with white space collapsed.
    """

    number: int
    text: str


def line_count(text: str) -> int:
    """Return the number of lines of a text, at least 1; empty lines at the end do not count."""
    return len(_BREAKS.split(text.rstrip("\r\n")))


def source_lines(text: str) -> Iterator[Line]:
    """Yield the lines of a program's text without decoration; calls over several lines are joined to one line."""
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
    """Return the line without the end tokens of language models, such as `</s>`.

    Those between its first and last quote stay: they may be part of a text.
    """
    if "<" not in line:
        return line
    quoted = _QUOTED.search(line)
    begin, end = quoted.span() if quoted else (len(line), len(line))
    return " ".join(f"{SPECIAL.sub(' ', line[:begin])}{line[begin:end]}{SPECIAL.sub(' ', line[end:])}".split())


def _cleaned(line: str) -> str:
    """Return the line without the decoration of chat models (bullets, bold type, …); empty if nothing is left."""
    line = _bare(line)
    for around in (_HEAD, _BULLET, _RETURN):
        line = around.sub("", line, count=1) if around.match(line) else line
    for sign in ("`", "**"):
        if line.startswith(sign) and line.endswith(sign) and not _FENCE.match(line):
            line = line.strip(sign).strip()
    line = _BOLD.sub(r"\2 ", line, count=1) if _BOLD.match(line) else line
    return "" if line.startswith("#") or _FENCE.match(line) else line


def _whole(line: str, raw: list[str], at: int) -> tuple[str, int]:
    """Return the call on the line joined with its continuation lines, and the index in `raw` of the line after them.

    `raw` are all lines, `at` is the index of the line after the call's first. If the call is never closed, the line and
    `at` are returned unchanged.
    """
    text, end = line, at
    while not _is_closed(text) and end < min(len(raw), at + MOST_WRAPPED):
        further = raw[end]
        if CALL.match(_cleaned(further)) or _FENCE.match(_bare(further)):
            break
        text, end = _joined(text, further), end + 1
    return (_bare(text), end) if end > at and _is_closed(text) else (line, at)


def _joined(text: str, further: str) -> str:
    """Return the text of a call with its next line appended.

    Comments are removed, unless the call's argument is quoted.
    """
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
    """Return the index of the parenthesis that closes a call; -1 if there is none.

    The text begins after the opening parenthesis of the call.
    """
    depth = 1
    for match in re.finditer(r"[()]", text):
        depth += 1 if match[0] == "(" else -1
        if depth == 0:
            return match.start()
    return -1
