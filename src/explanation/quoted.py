"""Copied sentences made ready to stand in an explanation: capital, closing mark, no half of a pair of marks."""

import re

from src.explanation.draft import is_ended

_PAIRS = (("\u201c", "\u201d"), ("(", ")"), ("[", "]"))
_LAST = re.compile(r"[ .!?;:,]+([\"')\]\u201d]*)$")


def ended(text: str) -> str:
    """Return the text with a capital and a full stop; a mark whose other one stands elsewhere is left out."""
    for opening, closing in _PAIRS:
        if text.count(opening) != text.count(closing):
            text = text.removeprefix(opening).removesuffix(closing)
    text = f"{text[:1].upper()}{text[1:]}"
    return text if is_ended(text) else f"{without_end(text)}."


def without_end(text: str) -> str:
    """Return the text without the marks it ends in, but for a closing quotation mark or bracket."""
    return _LAST.sub(r"\1", text)
