"""Mentions of the evidence, such as `Q&A 2` or `the fourth answer`; their words and numbers are not checked."""

import re

_NUMBER = r"(?:\d{1,2}(?:st|nd|rd|th)?|[a-z]{1,20}(?:st|nd|rd|th)\b|one|two|three|four|five|six|seven|eight|nine|ten)"
_NUMBERS = rf"{_NUMBER}(?:\s*(?:,|and|&|to|-)\s*{_NUMBER}){{0,9}}"
_DIGITS = r"\d{1,2}(?:\s*(?:,|and|&|to|-)\s*\d{1,2}){0,9}\b(?![.,]?\d)"
_REFERENCE = re.compile(
    rf"\b(?:{_NUMBERS}\s+)?(?:q\s?(?:&|and)\s?as?|q/a|qas?)(?:['\u2019]s)?(?:\s+pairs?)?(?:\s+{_NUMBERS})?\b"
    rf"|\b(?:answers?|questions?|sources?|evidence|pairs?)\s+(?:no\.?\s*)?{_DIGITS}"
    rf"|\b{_NUMBERS}\s+(?:answers?|questions?|sources?|pieces?\s+of\s+evidence|pairs?)\b"
    r"|\[\d{1,2}\]|\bq\d{1,2}\b",
    re.IGNORECASE,
)


def without_references(sentence: str) -> str:
    """Return the sentence with spaces in place of its references; its length does not change."""
    return _REFERENCE.sub(lambda found: " " * len(found[0]), sentence)
