"""Claims as their parser reads them best: without what stands in parentheses, a quoted title as one word.

But: what was left out is kept, with the word that it stands behind, and is written there again.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from src.programs.decomposition.titles import titles

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

ASIDES = "asides"  # in a parsed claim's user_data: the place of a word, and what stands in parentheses behind it
LONGEST_TITLE = 80  # characters; a longer quotation is no name

_ASIDE = re.compile(r"\s*\([^()]*\)")
_DOUBLED = re.compile(r"\b(and|of|in|was|is|the|by|to|for|with) \1\b")  # as typed twice; `The The` is a band
_TITLE = re.compile(r'["“][^"“”]*["”]|(?<!\w)(?:co|de|ex|non|pre|re|un)-\w+', re.IGNORECASE)


def parsed(language: "Language", claims: Iterable[str], without: Sequence[str] = ()) -> Iterator["Doc"]:
    """In the order of the claims; white space of any kind is one space, a small word that is there twice stands once.

    `without` are parts of the pipeline.
    """
    docs = (_prepared(language, _DOUBLED.sub(r"\1", " ".join(claim.split()))) for claim in claims)
    return map(_with_names, language.pipe(docs, disable=list(without)))


def _with_names(claim: "Doc") -> "Doc":
    """Tag titles as the names that they are."""
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
    """Each aside at the last word that ends before it."""
    found: dict[int, str] = {}
    for place, text in asides:
        word = max((at for at, end in enumerate(ends) if end <= place), default=0)
        found[word] = f"{found[word]} {text}" if word in found else text
    return found
