"""Names and nouns as words of a sentence that spaCy has parsed: where they begin and end, and their part in it.

Limitations: English; by the parts of speech and dependencies of spaCy's small pipeline, which errs.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

PERSONS = frozenset({"actor", "author", "chairman", "man", "mayor", "minister", "president", "senator", "singer",
                     "spokesman", "spokeswoman", "woman"})  # fmt: skip
PLACES = frozenset({"city", "country", "island", "region", "state", "town", "village"})
_CENTRAL = ("nsubj", "nsubjpass", "dobj", "poss")
_PARTICLES = {"al", "bin", "da", "de", "del", "della", "der", "di", "du", "la", "le", "van", "von"}
TITLES = {"captain", "dr", "dr.", "gov.", "governor", "judge", "mayor", "minister", "mr", "mr.", "mrs", "mrs.", "ms",
          "ms.", "president", "professor", "rep.", "sen.", "senator"}  # fmt: skip


def bare(entity: "Span") -> str:
    """Return the text of a name without 's, article, quotation marks and, for a person, titles."""
    name = " ".join(entity.text.split()).removesuffix("'s").removesuffix("\u2019s").strip("'\"\u2018\u2019\u201c\u201d")
    words = name.split()
    while len(words) > 1 and (words[0].lower() == "the" or (entity.label_ == "PERSON" and words[0].lower() in TITLES)):
        words = words[1:]
    return " ".join(words)


def is_bare(noun: "Token") -> bool:
    """Return True if a noun has nothing beside it that says which one is meant."""
    return not any(
        one.dep_ in ("amod", "compound", "nummod", "prep", "relcl", "poss", "appos") for one in noun.children
    )


def verb_of(word: "Token") -> "Token | None":
    """Return the word whose subject a word is, or None."""
    return word.head if word.dep_ in ("nsubj", "nsubjpass") else None


def is_definite(word: "Token") -> bool:
    """Return True for a noun with the article "the"."""
    return word.pos_ == "NOUN" and any(child.lower_ == "the" for child in word.children)


def is_named(word: "Token") -> bool:
    """Return True for the noun of `city of Ulmen`."""
    return word.lower_ in PLACES and bool(after_of(word))


def is_part(run: Sequence["Token"]) -> bool:
    """Return True for a part of a longer name or noun: `Berg-Hansen`, `Maria de Berg`, `Berg family`."""
    document, last = run[0].doc, run[-1]
    if last.dep_ == "compound" and last.head.i > last.i:
        return True
    beside = [document[place].lower_ for place in (run[0].i - 1, last.i + 1) if 0 <= place < len(document)]
    return "-" in beside or any(one in _PARTICLES for one in beside)


def is_central(word: "Token") -> bool:
    """Return True if a word is a subject, an object, an owner (`Berg's`) or an agent (`by Berg`)."""
    return word.dep_ in _CENTRAL or (word.dep_ == "pobj" and word.head.dep_ == "agent")


def is_joined(word: "Token") -> bool:
    """Return True if a name is joined to another by its neighbors; the parser errs here."""
    first = max(word.left_edge.i - 3, word.sent.start)
    near = [one.lower_ for one in word.doc[first : min(word.i + 2, word.sent.end)]]
    return "and" in near or "or" in near


def runs(sentence: "Span") -> Iterator[list["Token"]]:
    """Yield each run of capitalized proper nouns."""
    run: list[Token] = []
    for word in sentence:
        if word.pos_ == "PROPN" and word.text[0].isupper():
            run.append(word)
        elif run:
            yield run
            run = []
    if run:
        yield run


def after_of(word: "Token") -> str:
    """Return the run of proper nouns in `of X` after a word, or ""."""
    after = list(word.doc[word.i + 1 : word.sent.end])
    if not after or after[0].lower_ != "of":
        return ""
    names: list[str] = []
    for one in after[1:]:
        if one.pos_ != "PROPN" or not one.text[0].isupper():
            break
        names.append(one.text)
    return " ".join(names)
