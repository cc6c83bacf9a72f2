"""Names and numbers in a text in which an error can be planted."""

import re
from typing import TYPE_CHECKING

from src.explanation.checks.references import without_references

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

OF_NAMES = ("PERSON", "ORG", "GPE", "LOC", "NORP", "FAC", "EVENT", "PRODUCT", "WORK_OF_ART")
_BEFORE, _BEHIND = r"(?<![\w.,/:-])", r"(?![\w/-]|:\d)"
NUMBER = re.compile(rf"{_BEFORE}\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?{_BEHIND}|{_BEFORE}\d+(?:\.\d+)?{_BEHIND}(?!\.\d)")
YEAR = re.compile(r"1[5-9]\d\d|20\d\d")
LONGEST_NAME = 4  # words
_OF_TASK = {"claim", "evidence", "answer", "question", "source", "qa", "q&a", "q", "pair", "label", "fact", "statement"}
_KIN = (
    ("us", "usa", "united states", "america", "american", "americans"),
    ("uk", "united kingdom", "britain", "great britain", "british", "england"),
    ("eu", "european union", "europe", "european"), ("un", "united nations"),
    ("covid", "covid 19", "coronavirus", "sars cov 2"),
)  # fmt: skip


def names_of(doc: "Doc") -> list["Span"]:
    """Return the entities that look like names of at most four words, without headlines and mentions of the
    evidence.
    """
    return [one for one in map(_plain, doc.ents) if one.label_ in OF_NAMES and _is_name(one)]


def numbers_of(sentence: str) -> list[re.Match[str]]:
    """Return the numbers in the sentence, without those that count the evidence, as in `the answer to question 2`."""
    return list(NUMBER.finditer(without_references(sentence)))


def value(number: str) -> float:
    """Return the value of a number as written in a text."""
    return float(number.replace(",", ""))


def kin(text: str) -> frozenset[int]:
    """Return which of the names with several forms the text mentions, in any form."""
    plain = f" {' '.join(re.findall(r'[a-z0-9]+', text.casefold().replace('.', '')))} "
    return frozenset(at for at, forms in enumerate(_KIN) if any(f" {form} " in plain for form in forms))


def is_of_task(word: "Token") -> bool:
    """Return True if the word refers to the evidence as such."""
    return word.lower_.rstrip("s") in _OF_TASK


def _plain(name: "Span") -> "Span":
    """Return the name without a preceding article and without a possessive ending."""
    while len(name) > 1 and name[0].lower_ in ("the", "a", "an", "'s", "\u2019s"):
        name = name[1:]
    while len(name) > 1 and name[-1].lower_ in ("'s", "\u2019s", "'", "\u2019"):
        name = name[:-1]
    return name


def _is_name(name: "Span") -> bool:
    big = [word for word in name if word.pos_ not in ("ADP", "DET", "CCONJ", "PART")]
    fits = (
        bool(big)
        and len(name) <= LONGEST_NAME
        and all(word.pos_ == "PROPN" and word.text[:1].isupper() for word in big)
    )
    return fits and not any(map(is_of_task, name)) and bool(re.fullmatch(r"[^\W\d][\w .'\u2019&-]{2,}", name.text))
