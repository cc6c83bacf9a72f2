"""Whether the evidence names what a claim is about.

What a claim is about is the name that is the subject of its main verb: `Anton Weiss` in "Anton Weiss retired in 1987".
If no passage has it, the passages are about somebody or something else, and no verdict follows from them. A passage
names it if it has the last word of the name, since texts leave out first names, or initials of the subject (`CDC`).

Limitations: English, by spaCy's small parser. A subject that is no name ("the mayor of Hexley") is not looked for. One
passage with the name is enough; that others are about another name goes unnoticed.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from src.name_index import SMALL, NameIndex, initials, name_words
from src.spacy_pipelines import FROM_PYPI, load
from src.stance.records import Passage

if TYPE_CHECKING:
    from spacy.tokens import Token

_ACRONYM = re.compile(r"\b[A-Z]{2,}\b")


class Subject(NamedTuple):
    """What a claim is about.

    `name`: the name.
    `initials`: initials by which texts may call it, in lower case.
    """

    name: str
    initials: frozenset[str]


def unnamed_subject(claim: str, passages: Sequence[Passage]) -> str:
    """Return the name that the claim is about if none of the passages has it; "" if one has it, or there is no name.

    Raises MissingExtra when spaCy's small pipeline is not installed.
    """
    found = subjects(claim)
    if any(_names(one.text, subject) for one in passages for subject in found):
        return ""
    return found[0].name if found else ""


@lru_cache(256)
def subjects(claim: str) -> tuple[Subject, ...]:
    """Return what the claim is about, if it is a name: the subject of its main verb, and appositions to it.

    It is empty for a claim in capitals, in which names are not to be told from other words.
    """
    if claim.isupper():
        return ()
    parser = load(FROM_PYPI, ["lemmatizer", "ner"])
    with parser.memory_zone():  # otherwise every new word stays in memory
        return tuple(_subject(head) for word in parser(claim) for head in _heads(word))


@lru_cache(256)
def _index(text: str) -> NameIndex:
    return NameIndex(text)


def _heads(word: "Token") -> Iterator["Token"]:
    """Yield the word and its appositions if the word is the subject of the main verb and a name."""
    if word.dep_ in ("nsubj", "nsubjpass") and word.head.dep_ == "ROOT" and _is_name(word):
        yield word
        yield from (child for child in word.children if child.dep_ == "appos" and _is_name(child))


def _is_name(word: "Token") -> bool:
    """Return True for a proper noun; not for one with an article or a number, such as "a Congressman"."""
    is_one_of_many = any(child.lower_ in ("a", "an") or child.dep_ == "nummod" for child in word.lefts)
    return word.pos_ == "PROPN" and word.text[:1].isupper() and not is_one_of_many


def _subject(head: "Token") -> Subject:
    """Return the subject of which the word is the head: its name, with the names before it that belong to it."""
    first = min([one.i for one in head.lefts if one.dep_ in ("compound", "nmod") and _is_name(one)], default=head.i)
    phrase = head.doc[first : head.right_edge.i + 1]
    return Subject(str(head.doc[first : head.i + 1]), initials(str(phrase)))


def _names(text: str, subject: Subject) -> bool:
    """Return True if the text has the last word of the name, other than a number, or initials of the subject."""
    words = [word for word in name_words(subject.name) if word not in SMALL and not word.isdigit()]
    is_named = bool(words) and _index(text).has(words[-1])
    return is_named or any(one.lower() in subject.initials for one in _ACRONYM.findall(text))
