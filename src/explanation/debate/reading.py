"""Agents' replies, read strictly: a debater's remarks, a judge's True or False, a refiner's text.

What cannot be read is None, never a guess.

But: JSON is looked for wherever it stands in a debater's reply, for models put prose and fences around it.
"""

import re
from typing import Any, NamedTuple

import msgspec

from src.explanation.debate.records import Remark
from src.explanation.typology import error_type

_VERDICT = re.compile(r"(true|yes|false|no)\b", re.IGNORECASE)
_MARKUP = " \t\r\n\"'`*_#>-\u201c\u201d\u2018\u2019"
_QUOTES = ('"', "\u201c", "\u201d")
_HEAD = re.compile(r"^\W*(?:the\s+)?(?:revised|corrected|new|refined)?\s*explanation\W*:\W*", re.IGNORECASE)


class Feedback(NamedTuple):
    """`dropped` counts the remarks whose quote does not stand in the draft."""

    remarks: list[Remark]
    dropped: int


class _Item(msgspec.Struct):
    quote: str
    type: str = ""
    reason: str = ""
    fix: str = ""


def read_feedback(text: str, draft: str) -> Feedback | None:
    """The first JSON of the form `{"errors": [...]}`, or a list of such errors; None where there is none."""
    items = _items(text)
    if items is None:
        return None
    remarks, dropped = [], 0
    for item in items:
        quote = _quoted(item.quote, draft)
        if quote is None:
            dropped += 1
        else:
            remarks.append(Remark(quote, error_type(item.type), item.reason.strip(), item.fix.strip()))
    return Feedback(list(dict.fromkeys(remarks)), dropped)


def read_judgement(text: str) -> bool | None:
    """Whether the judge says that the feedbacks agree; None for anything but a plain True, Yes, False or No."""
    found = _VERDICT.match(text.strip(_MARKUP))
    return None if found is None else found[1].lower() in ("true", "yes")


def read_revision(text: str) -> str:
    """In one line, without a head, fences or quotation marks around it; empty where nothing was said."""
    plain = " ".join(re.sub(r"```\w*", " ", text).split())
    plain = _HEAD.sub("", plain).strip()
    inside = plain[1:-1]
    is_quoted = plain[:1] in _QUOTES and plain[-1:] in _QUOTES and not set(inside) & set(_QUOTES)
    return inside.strip() if plain and is_quoted else plain


def _quoted(quote: str, draft: str) -> str | None:
    """The part of the draft that was quoted, white space and quotation marks around it aside."""
    plain = " ".join(quote.split()).strip('"\u201c\u201d')
    return plain if plain and plain in " ".join(draft.split()) else None


def _items(text: str) -> list[_Item] | None:
    for start in (found.start() for found in re.finditer(r"[\[{]", text)):
        for end in (found.end() for found in reversed(list(re.finditer(r"[\]}]", text[start:])))):
            items = _decoded(text[start : start + end])
            if items is not None:
                return items
    return None


def _decoded(text: str) -> list[_Item] | None:
    try:
        found: Any = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return None
    errors = found.get("errors") if isinstance(found, dict) else found
    if not isinstance(errors, list):
        return None
    try:
        return msgspec.convert([one for one in errors if isinstance(one, dict)], list[_Item])
    except msgspec.ValidationError:
        return None
