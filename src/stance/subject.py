"""Whether the evidence names what a claim is about.

What a claim is about is the name that is the subject of its main verb: `Anton Weiss` in "Anton Weiss retired in 1987".
If no passage has it, the passages are about somebody or something else, and no verdict follows from them. A passage
names it if it has the last word of the name, since texts leave out first names, or its initials.

Limitations: English, by spaCy's small parser. A subject that is no name ("the mayor of Hexley") is not looked for. One
passage with the name is enough; that others are about another name goes unnoticed.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from src.name_index import SMALL, NameIndex, name_words
from src.spacy_pipelines import FROM_PYPI, load
from src.stance.records import Passage

if TYPE_CHECKING:
    from spacy.tokens import Token


def unnamed_subject(claim: str, passages: Sequence[Passage]) -> str:
    """Return the name that the claim is about if none of the passages has it; "" if one has it, or there is no name.

    Raises MissingExtra when spaCy's small pipeline is not installed.
    """
    names = subject_names(claim)
    if any(_has(_index(one.text), name) for one in passages for name in names):
        return ""
    return names[0] if names else ""


@lru_cache(256)
def subject_names(claim: str) -> tuple[str, ...]:
    """Return the names of what the claim is about: the subject of its main verb, and what is in apposition to it."""
    parser = load(FROM_PYPI, ["lemmatizer", "ner"])
    with parser.memory_zone():  # otherwise every new word stays in memory
        return tuple(_whole(head) for word in parser(claim) for head in _heads(word))


@lru_cache(256)
def _index(text: str) -> NameIndex:
    return NameIndex(text)


def _heads(word: "Token") -> Iterator["Token"]:
    """Yield the word and its appositions if the word is the subject of the main verb and a name."""
    if word.dep_ in ("nsubj", "nsubjpass") and word.head.dep_ == "ROOT" and _is_name(word):
        yield word
        yield from (child for child in word.children if child.dep_ == "appos" and _is_name(child))


def _is_name(word: "Token") -> bool:
    return word.pos_ == "PROPN" and word.text[:1].isupper()


def _whole(head: "Token") -> str:
    """Return the whole name of which the word is the head: with the names before it that belong to it."""
    first = min([one.i for one in head.lefts if one.dep_ in ("compound", "nmod") and _is_name(one)], default=head.i)
    return str(head.doc[first : head.i + 1])


def _has(index: NameIndex, name: str) -> bool:
    """Return True if the text has the last word of the name, other than a number, or the initials of the name."""
    words = [word for word in name_words(name) if word not in SMALL]
    last = next((word for word in reversed(words) if not word.isdigit()), "")
    initials = "".join(word[0] for word in words)
    return index.has(last) or (len(initials) > 1 and index.has(initials))
