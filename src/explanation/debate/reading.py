"""Agents' replies, read strictly: a debater's remarks, a judge's True or False, a refiner's text.

What cannot be read is None, never a guess.

But: JSON is looked for wherever it stands in a debater's reply, for models put prose and fences around it.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from src.explanation.debate.records import Remark
from src.explanation.typology import error_type
from src.store import storable

OPENERS = 50  # places in a reply at which something else than JSON may begin
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
)  # with the lines of the prompt that small models repeat
_OF_FEEDBACK = "Mend it so:"  # stands in every line of feedback as the refiner is shown it


class Feedback(NamedTuple):
    """`dropped` counts the remarks whose quote does not stand in the draft."""

    remarks: list[Remark]
    dropped: int


class _Item(NamedTuple):
    quote: str
    type: str
    reason: str
    fix: str


def read_feedback(text: str, draft: str, *, published: bool = False) -> Feedback | None:
    """Return the last JSON of the form `{"errors": [...]}`, or a reply that is a list of errors; None without one.

    None, too, where the form is given back as the prompt shows it, or a word of it cannot be written to a file. A list
    that was cut has its whole errors. With `published` errors stay whose quote is not in the draft, and repeated ones.
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
    """Whether the judge says that the feedbacks agree; None for anything but a plain True, Yes, False or No."""
    plain = text.strip(_MARKUP)
    found = _VERDICT.match(plain)
    if found is None or len({one.lower() in ("true", "yes") for one in _VERDICT.findall(plain)}) > 1:
        return None
    return found[1].lower() in ("true", "yes")


def read_revision(text: str, *, published: bool = False) -> str:
    """Return the reply in one line, without a head, fences or quotation marks around it.

    Empty for JSON and for feedback, but not with `published`, which takes any text.
    """
    plain = " ".join(re.sub(r"```\w*", " ", text).split())
    if not published and (_JSON.match(plain) or _OF_FEEDBACK in plain):
        return ""
    plain = _HEAD.sub("", plain).strip()
    inside = plain[1:-1]
    is_quoted = plain[:1] in _QUOTES and plain[-1:] in _QUOTES and not set(inside) & set(_QUOTES)
    return inside.strip() if plain and is_quoted else plain


def _quoted(quote: str, draft: str) -> str | None:
    """The part of the draft that was quoted, white space and quotation marks around it aside."""
    plain = " ".join(quote.split()).strip('"\u201c\u201d')
    return plain if plain and plain in " ".join(draft.split()) else None


def _items(text: str) -> list[_Item | None] | None:
    """Of the last object with `errors` that stands in the text, or of a list that is the whole of it; None without one.

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
    """Return the whole errors of a list whose end is missing; None where there is none."""
    found = _CUT_LIST.search(text)
    if found is None:
        return None
    whole = [value for value in _values(text[found.end() :]) if isinstance(value, dict)]
    return [_item(one) for one in whole] or None


def _is_form(item: _Item | None) -> bool:
    return item is not None and (item.quote.strip(), item.fix.strip()) in _PLACEHOLDERS


def _values(text: str) -> Iterator[Any]:
    """The JSON values that begin with a brace or bracket, none of them inside another."""
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
