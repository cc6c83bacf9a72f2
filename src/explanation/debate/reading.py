"""Strict parsers of agents' replies: a debater's remarks, a judge's True or False, a refiner's text.

A reply that cannot be parsed gives None; nothing is guessed.

Limitations: JSON is searched anywhere in a debater's reply, because models put prose and code fences around it.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from src.explanation.debate.records import Remark
from src.explanation.typology import error_type
from src.store import storable

OPENERS = 50  # most braces and brackets in a reply that may begin something other than JSON
_OPENER = re.compile(r"[\[{]")
_VERDICT = re.compile(r"\b(true|yes|false|no)\b", re.IGNORECASE)
_MARKUP = " \t\r\n\"'`*_#>-\u201c\u201d\u2018\u2019"
_CUT_LIST = re.compile(r'"errors"\s*:\s*\[')
_PLACEHOLDERS = {("words of the explanation", "what to do"), ("...", "...")}  # quote and fix of the prompts' forms
_QUOTES = ('"', "\u201c", "\u201d")
_JSON = re.compile(r"\{|\[\s*[\[{\"]|\[\s*\]")
_HEAD = re.compile(
    r"^[\s*_#]*(?:verdict[\s*_]*:[^.:]{1,60}?)?(?:here(?:\s+is|'s)\s+)?(?:the\s+|your\s+)?"
    r"(?:whole\s+)?(?:revised|corrected|new|refined|mended)?\s*explanation(?:\s+of\s+the\s+verdict)?[\s*_]*:[\s*_#]*",
    re.IGNORECASE,
)  # includes the lines of the prompt that small models repeat
_OF_FEEDBACK = "Mend it so:"  # is in every line of feedback that the refiner is shown


class Feedback(NamedTuple):
    """A debater's remarks; `dropped` counts the remarks without a quote from the draft."""

    remarks: list[Remark]
    dropped: int


class _Item(NamedTuple):
    quote: str
    type: str
    reason: str
    fix: str


def read_feedback(text: str, draft: str, *, published: bool = False) -> Feedback | None:
    """Return the last JSON object of the form `{"errors": [...]}`, or the reply if it is a list of errors; else None.

    Also None if the reply only repeats the form of the prompt, or has text that cannot be stored in a file. Of a list
    that was cut, the complete errors are kept. With `published`, errors with a quote that is not in the draft are kept,
    and so are repeated ones.
    """
    items = _items(text)
    if items is None:
        items = _of_cut_list(text)
    if items is None or (items and all(map(_is_form, items))):
        return None
    words = "".join(part for item in items if item is not None for part in item)
    if storable(words) != words:
        return None
    remarks, dropped = [], 0
    for item in items:
        quote = _quoted(item.quote, draft) if item is not None else None
        if published and item is not None and quote is None:
            quote = " ".join(item.quote.split())
        if item is None or quote is None:
            dropped += 1
        else:
            remarks.append(Remark(quote, error_type(item.type), item.reason.strip(), item.fix.strip()))
    return Feedback(remarks if published else list(dict.fromkeys(remarks)), dropped)


def read_judgement(text: str) -> bool | None:
    """Return True if the judge finds that the feedbacks agree; None for anything but a plain True, Yes, False or No."""
    plain = text.strip(_MARKUP)
    found = _VERDICT.match(plain)
    if found is None or len({one.lower() in ("true", "yes") for one in _VERDICT.findall(plain)}) > 1:
        return None
    return found[1].lower() in ("true", "yes")


def read_revision(text: str, *, published: bool = False) -> str:
    """Return the reply in one line, without heading, code fences or quotation marks around it.

    Return an empty text for JSON and for feedback; with `published`, any text is accepted.
    """
    plain = " ".join(re.sub(r"```\w*", " ", text).split())
    if not published and (_JSON.match(plain) or _OF_FEEDBACK in plain):
        return ""
    plain = _HEAD.sub("", plain).strip()
    inside = plain[1:-1]
    is_quoted = plain[:1] in _QUOTES and plain[-1:] in _QUOTES and not set(inside) & set(_QUOTES)
    return inside.strip() if plain and is_quoted else plain


def _quoted(quote: str, draft: str) -> str | None:
    """Return the quoted part of the draft, without surrounding quotation marks; None if the draft does not have it."""
    plain = " ".join(quote.split()).strip('"\u201c\u201d')
    return plain if plain and plain in " ".join(draft.split()) else None


def _items(text: str) -> list[_Item | None] | None:
    """Return the items of the last object with `errors`, or of a reply that is a list; else None.

    An item that is no error is None.
    """
    plain = re.sub(r"```\w*", " ", text).strip()
    lists = [one["errors"] for one in _values(plain) if isinstance(one, dict) and isinstance(one.get("errors"), list)]
    found: Any = lists[-1] if lists else None
    if found is None and plain.startswith("["):
        found = next((value for value in _values(plain) if isinstance(value, list)), None)
        if (not found and "".join(plain.split()) != "[]") or not all(isinstance(one, dict) for one in found or ()):
            return None
    if found is None or (found and not any(isinstance(one, dict) for one in found)):
        return None
    return [_item(one) for one in found]


def _of_cut_list(text: str) -> list[_Item | None] | None:
    """Return the complete errors of a list without an end; None if there is none."""
    found = _CUT_LIST.search(text)
    if found is None:
        return None
    whole = [value for value in _values(text[found.end() :]) if isinstance(value, dict)]
    return [_item(one) for one in whole] or None


def _is_form(item: _Item | None) -> bool:
    return item is not None and (item.quote.strip(), item.fix.strip()) in _PLACEHOLDERS


def _values(text: str) -> Iterator[Any]:
    """Yield the JSON values that begin with a brace or bracket and are not inside another one."""
    decoder, at, failed = json.JSONDecoder(), 0, 0
    while failed < OPENERS:
        found = _OPENER.search(text, at)
        if found is None:
            return
        try:
            value, at = decoder.raw_decode(text, found.start())
        except (ValueError, RecursionError):
            at, failed = found.end(), failed + 1
        else:
            yield value


def _item(found: Any) -> _Item | None:
    if not isinstance(found, dict) or not isinstance(found.get("quote"), str):
        return None
    return _Item(found["quote"], *(str(found.get(name) or "") for name in ("type", "reason", "fix")))
