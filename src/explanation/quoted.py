"""Formatting of copied sentences: capital letter, closing mark, no unpaired quotation mark or bracket."""

import re

from src.explanation.draft import is_ended

_PAIRS = (("\u201c", "\u201d"), ("(", ")"), ("[", "]"))
_LAST = re.compile(r"[ .!?;:,]+([\"')\]\u201d]*)$")


def ended(text: str) -> str:
    """Return the text with a capital letter and a full stop, without an unpaired mark at its beginning or end."""
    for opening, closing in _PAIRS:
        if text.count(opening) != text.count(closing):
            text = text.removeprefix(opening).removesuffix(closing)
    text = f"{text[:1].upper()}{text[1:]}"
    return text if is_ended(text) else f"{without_end(text)}."


def without_end(text: str) -> str:
    """Return the text without its closing punctuation; a closing quotation mark or bracket is kept."""
    return _LAST.sub(r"\1", text)
