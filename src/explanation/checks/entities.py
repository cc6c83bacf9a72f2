"""Check for names that the source (claim and evidence) does not have, and for names that mix words of several names.

A name is known if the source has all its words. Upper and lower case, possessives and plurals are not distinguished. In
a longer word one letter may differ. A word may also be the initials of a name in the source. If the source has all
words of a name, but never together, the name is a mix: an intrinsic error.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from src.explanation.checks.grounds import Grounds
from src.explanation.records import Finding
from src.explanation.typology import ErrorType
from src.name_index import SMALL, NameIndex, name_words

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span

OF_NAMES = {"PERSON", "ORG", "GPE", "LOC", "NORP", "FAC", "EVENT", "WORK_OF_ART", "PRODUCT", "LAW", "LANGUAGE"}
_OF_TASK = {
    "q", "qa", "qas", "a", "claim", "claims", "supported", "refuted", "evidence", "conflicting", "cherrypicking", "not",
    "enough", "fact", "answer", "question", "source", "yes", "no", "none", "accurate", "correct", "true", "false", "nb",
    "label", "therefore", "hence", "however", "thus",
}  # fmt: skip


def unknown_names(parse: "Doc", place: int, grounds: Grounds) -> Iterator[Finding]:
    """Yield a finding for each name that has a word which the source lacks, and for each mix of several names.

    A name is a mix if all its words are in the source, but never together. `parse` is spaCy's analysis of the sentence,
    `place` the index (from 0) of the sentence in the explanation.
    """
    source = _of_source(grounds.text)
    for name in names(parse):
        words = [word for word in name_words(name.text) if word not in SMALL]
        if not words or set(words) <= _OF_TASK:
            continue
        unknown = [word for word in words if not source.has(word)]
        if unknown:
            reason = f"neither the claim nor its evidence names {name.text}"
            yield Finding(grounds.claim.claim_id, place, ErrorType.EXTRINSIC_ENTITY, name.text, reason)
        elif len(words) == len(name_words(name.text)) and source.mixes(words):
            reason = "its words are those of different names in the evidence"
            yield Finding(grounds.claim.claim_id, place, ErrorType.INTRINSIC_ENTITY, name.text, reason)


@lru_cache(64)
def _of_source(text: str) -> NameIndex:
    """Return the index of the source's text, cached for all sentences of an explanation."""
    return NameIndex(text)


def names(parse: "Doc") -> list["Span"]:
    """Return the names in a sentence: spaCy's entities that are names, and other capitalized proper nouns that do not
    begin a sentence.
    """
    entities = [_own(one) for one in parse.ents if one.label_ in OF_NAMES and any(map(str.isupper, one.text))]
    inside = {word.i for one in parse.ents for word in one}
    lone = [word for word in parse if word.pos_ == "PROPN" and word.i not in inside and word.text[:1].isupper()]
    return [*entities, *(parse[word.i : word.i + 1] for word in lone if not word.is_sent_start)]


def _own(name: "Span") -> "Span":
    """Return the name without a leading `'s`, which is the possessive ending of the word before it."""
    return name[1:] if len(name) > 1 and name[0].text.lower() in ("'s", "\u2019s") else name
