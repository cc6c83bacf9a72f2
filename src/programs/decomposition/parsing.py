"""Parsing of claims with spaCy: parentheses are left out, and each quoted title is one token.

The omitted text is kept with the word before it, and is written there again.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from src.programs.decomposition.titles import titles

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

ASIDES = "asides"  # in a parsed claim's user_data: from the place of a word to the parentheses after it
LONGEST_TITLE = 80  # characters; a longer quotation is not a title

_ASIDE = re.compile(r"\s*\([^()]*\)")
_DOUBLED = re.compile(r"\b(and|of|in|was|is|the|by|to|for|with) \1\b")  # typed twice by mistake; `The The` is a band
_TITLE = re.compile(r'["“][^"“”]*["”]|(?<!\w)(?:co|de|ex|non|pre|re|un)-\w+', re.IGNORECASE)


def parsed(language: "Language", claims: Iterable[str], without: Sequence[str] = ()) -> Iterator["Doc"]:
    """Yield the parsed claims, in order. White space is collapsed, and doubled small words are reduced to one.

    `without` are parts of the pipeline to disable.
    """
    docs = (_prepared(language, _DOUBLED.sub(r"\1", " ".join(claim.split()))) for claim in claims)
    return map(_with_names, language.pipe(docs, disable=list(without)))


def _with_names(claim: "Doc") -> "Doc":
    """Return the claim with titles tagged as names."""
    for word in claim:
        if " " in word.text:
            word.tag_, word.pos_ = "NNP", "PROPN"
    return claim


def _prepared(language: "Language", claim: str) -> "Doc":
    asides: list[tuple[int, str]] = []
    kept, at = "", 0
    for found in _ASIDE.finditer(claim):
        kept += claim[at : found.start()]
        if kept.strip():
            asides.append((len(kept), found[0].strip()))
        else:
            kept += found[0]
        at = found.end()
    doc = language.make_doc(kept + claim[at:])
    with doc.retokenize() as retokenizer:
        for title in _TITLE.finditer(doc.text):
            span = doc.char_span(title.start(), title.end()) if len(title[0]) <= LONGEST_TITLE else None
            if span is not None and len(span) > 1:
                retokenizer.merge(span)
    with doc.retokenize() as retokenizer:
        for span in titles(doc):
            retokenizer.merge(span)
    ends = [word.idx + len(word) for word in doc]
    doc.user_data[ASIDES] = _behind(asides, ends)
    return doc


def _behind(asides: list[tuple[int, str]], ends: list[int]) -> dict[int, str]:
    """Return the asides by the place of the last word that ends before them."""
    found: dict[int, str] = {}
    for place, text in asides:
        word = max((at for at, end in enumerate(ends) if end <= place), default=0)
        found[word] = f"{found[word]} {text}" if word in found else text
    return found
