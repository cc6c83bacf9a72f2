"""Sentences of an article made readable without it, by rules: pronouns and short names are replaced by whole names.

A name is put in for a pronoun only if it is the only one that fits in the sentence so far and the nearest of the two
sentences before it. Otherwise the sentence is unclear, and is not checked: a wrong name would make another claim of it.
A noun such as `the bridge` is replaced by the one name in the article so far that has the noun in it (`mentions`).

Limitations: English; by the names that spaCy's small pipeline finds. "There", "then" and definite nouns that are
part of no name (`the report`) are left as they are. Genders are known only by pronouns before.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from src.check.article.antecedents import antecedent, group_of, wanted
from src.check.article.mentions import Mention, Names
from src.check.article.nouns import verb_of

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_ADDRESSES = {"mr", "mr.", "mrs", "mrs.", "ms", "ms."}
_OWNED = {"his", "hers", "its", "theirs", "their"}


class Replacement(NamedTuple):
    """Text that replaces the characters `start` to `end` of a document."""

    start: int
    end: int
    text: str


class Alone(NamedTuple):
    """A sentence that can be read alone.

    `replacements`: what is replaced in it.
    `names`: number of names that were put in for pronouns and nouns.
    `unclear`: why it cannot be read alone, or "".
    """

    replacements: list[Replacement]
    names: int = 0
    unclear: str = ""


def alone(sentence: "Span", names: Names, said_from: int | None = None) -> Alone:
    """Return what is to be replaced in a sentence, and enter it into the names of the article.

    `said_from` is the first character of what someone is reported to have said, which must be readable without the rest
    of the sentence.
    """
    own, short = names.enter(sentence)
    found: list[Replacement] = []
    given: dict[str, int] = {}  # groups of words whose name is put in, with the place
    for word in sentence:
        if word in short:
            before = word.nbor(-1) if word.i > sentence.start else word
            start = before.idx if before.lower_ in _ADDRESSES else word.idx
            found.append(Replacement(start, word.idx + len(word), short[word]))
            continue
        start = said_from if said_from is not None and word.idx >= said_from else 0
        group, kinds = group_of(word), wanted(word)
        meant = names.thing(word)
        if not (meant or kinds) or given.get(group, -1) >= start:  # needs no name, or it is put in before
            continue
        meant = meant or antecedent(word, kinds, own, names)
        if meant is None or (not meant.name and meant.start < start):
            return Alone([], unclear=f"{_shown(word)!r} is not clear")
        if meant.start >= max(start, sentence.start_char):  # it is in the sentence
            continue
        given[group] = word.idx
        own.append(meant._replace(start=word.idx, verb=verb_of(word)))
        found.append(_replacement(word, meant, sentence))
    return Alone(found, len(given))


def _shown(word: "Token") -> str:
    return f"the {word.text}" if word.pos_ == "NOUN" else word.text


def _replacement(word: "Token", meant: Mention, sentence: "Span") -> Replacement:
    is_owner = word.lower_ in _OWNED or (word.lower_ == "her" and word.tag_ == "PRP$")
    article = next((child for child in word.children if child.lower_ == "the"), None) if word.pos_ == "NOUN" else None
    start = article.idx if article is not None else word.idx
    text = f"{meant.shown}'s" if is_owner else meant.shown
    if start == sentence.start_char:
        text = text[0].upper() + text[1:]
    return Replacement(start, word.idx + len(word), text)


def rewritten(sentence: "Span", found: Sequence[Replacement], start: int, end: int) -> str:
    """Return the characters `start` to `end` of the sentence's document, with the replacements that lie in them."""
    text = sentence.doc.text[start:end]
    for one in sorted(found, reverse=True):
        if start <= one.start and one.end <= end:
            text = text[: one.start - start] + one.text + text[one.end - start :]
    return " ".join(text.split())
