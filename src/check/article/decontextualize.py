"""Sentences of an article made readable without it, by rules: pronouns and short names are replaced by whole names.

A name is put in only if it is the only one that fits in the sentence so far and the two sentences before it. Otherwise
the sentence is unclear, and is not checked: a wrong name would make another claim of it.

Limitations: English; by the names that spaCy's small pipeline finds. "There", "then" and definite nouns without a name
in reach (`the report`) are left as they are, unless they are the subject.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

BEFORE = 2  # sentences in which names are looked for
_PERSON = {"he", "him", "his", "she", "her", "hers"}
_THING = {"it", "its", "they", "them", "their", "theirs"}
_POINTING = {"this", "that", "these", "those"}
_OWNED = {"his", "hers", "its", "theirs", "their"}
_PLACED = ("across", "at", "from", "in", "near", "of", "on", "over", "through", "to")  # before the name of a place
_KINDS = {
    **dict.fromkeys(("company", "firm", "group", "agency", "party", "bank", "ministry", "university"), ("ORG",)),
    **dict.fromkeys(("country", "city", "town", "state", "island", "region", "village"), ("GPE", "LOC")),
    **dict.fromkeys(("minister", "mayor", "president", "senator", "spokesman", "spokeswoman", "chairman", "actor",
                     "singer", "author", "man", "woman"), ("PERSON",)),
}  # fmt: skip
_SUBJECTS = ("nsubj", "nsubjpass")


class Replacement(NamedTuple):
    """Text that replaces the characters `start` to `end` of a sentence."""

    start: int
    end: int
    text: str


class Alone(NamedTuple):
    """A sentence that can be read alone.

    `text`: its text.
    `names`: number of names that were put in for pronouns and nouns.
    `unclear`: why it cannot be read alone, or "".
    """

    text: str
    names: int = 0
    unclear: str = ""


def alone(sentence: "Span", before: Sequence["Span"], names: Sequence[str]) -> Alone:
    """Return a sentence with its pronouns and short names replaced.

    `before` are the sentences before it, nearest last. `names` are the whole names of persons in the article.
    """
    found: list[Replacement] = []
    known: dict[str, str] = {}
    for word in sentence:
        kinds = _wanted(word)
        if kinds == ():
            if (whole := _whole_name(word, names)) is not None:
                found.append(Replacement(word.idx, word.idx + len(word), whole))
            continue
        if word.lower_ in _POINTING:
            return Alone("", unclear=f"{word.text!r} is not clear")
        group = _group(word)
        name = known.get(group) or _only_name(word, kinds, before, names)
        if name is None:
            return Alone("", unclear=f"{_shown(word)!r} is not clear")
        if name == "":  # named before in the sentence
            continue
        known[group] = name
        found.append(_replacement(word, name))
    return Alone(_replaced(sentence, found), len(known))


def _wanted(word: "Token") -> tuple[str, ...]:
    """Return the kinds of names that a word may stand for; () for a word that needs none."""
    low = word.lower_
    if low in _PERSON and word.pos_ in ("PRON", "DET"):
        return ("PERSON",)
    if low in _THING and word.pos_ in ("PRON", "DET") and word.dep_ != "expl" and not _is_empty(word):
        return ("ORG", "GPE", "NORP", "PRODUCT", "LOC", "FAC")
    if low in _POINTING and word.dep_ in _SUBJECTS and word.pos_ in ("PRON", "DET") and word.tag_ != "WDT":
        return ("",)
    is_definite = any(child.lower_ == "the" for child in word.children)
    is_bare = not any(child.dep_ in ("amod", "compound", "prep", "relcl", "poss", "appos") for child in word.children)
    if word.dep_ in _SUBJECTS and is_definite and is_bare:
        return _KINDS.get(word.lemma_, ())
    return ()


def _is_empty(word: "Token") -> bool:
    """Return True for an `it` that names nothing, as in `it is known that`."""
    clauses = [child for child in word.head.children if child.dep_ in ("ccomp", "csubj", "acomp", "advcl")]
    return word.lower_ == "it" and word.dep_ in _SUBJECTS and bool(clauses) and word.head.lemma_ in ("be", "seem")


def _group(word: "Token") -> str:
    low = word.lower_
    if low in _PERSON:
        return "she" if low in ("she", "her", "hers") else "he"
    return "they" if low in _THING and low.startswith("the") else "it" if low in _THING else word.lemma_


def _only_name(word: "Token", kinds: tuple[str, ...], before: Sequence["Span"], names: Sequence[str]) -> str | None:
    """Return the one name that a word may stand for, "" if it is in the sentence before the word; None if unclear."""
    own = _names(word.sent.ents, kinds, names, end=word.idx)
    if own:
        return "" if len(own) == 1 else None
    for sentence in list(before)[: -BEFORE - 1 : -1]:
        if found := _names(sentence.ents, kinds, names):
            return next(iter(found)) if len(found) == 1 else None
    return None


def _names(
    entities: Iterable["Span"], kinds: tuple[str, ...], names: Sequence[str], end: int | None = None
) -> set[str]:
    """Return the names of these kinds, persons by their whole names; only those before the character `end`.

    A "person" after a preposition of place is left out: the small pipeline takes many places for persons.
    """
    fitting = [one for one in entities if one.label_ in kinds and (end is None or one.end_char <= end)]
    if "PERSON" in kinds:
        fitting = [one for one in fitting if one.root.dep_ != "pobj" or one.root.head.lower_ not in _PLACED]
    return {_whole(_bare(one), names) for one in fitting}


def _bare(entity: "Span") -> str:
    """Return the text of a name without 's."""
    return entity.text.removesuffix("'s").removesuffix("\u2019s")


def _whole(name: str, names: Sequence[str]) -> str:
    """Return the whole name of a person who is called by the last name alone, if the article has one such person."""
    longer = [one for one in names if one != name and one.split()[-1] == name]
    return longer[0] if len(longer) == 1 else name


def _whole_name(word: "Token", names: Sequence[str]) -> str | None:
    """Return the whole name of the person for a last name alone; None for any other word."""
    if word.ent_type_ != "PERSON" or word.ent_iob_ != "B":
        return None
    is_alone = word.i + 1 == len(word.doc) or word.nbor().ent_iob_ != "I"
    whole = _whole(word.text, names)
    return whole if is_alone and whole != word.text else None


def _shown(word: "Token") -> str:
    return f"the {word.text}" if word.pos_ == "NOUN" else word.text


def _replacement(word: "Token", name: str) -> Replacement:
    is_owner = word.lower_ in _OWNED or (word.lower_ == "her" and word.tag_ == "PRP$")
    text = f"{name}'s" if is_owner else name
    if word.pos_ != "NOUN":
        return Replacement(word.idx, word.idx + len(word), text)
    article = next(child for child in word.children if child.lower_ == "the")
    return Replacement(article.idx, word.idx + len(word), text)


def _replaced(sentence: "Span", found: Sequence[Replacement]) -> str:
    text, first = sentence.text, sentence.start_char
    for one in sorted(found, reverse=True):
        text = text[: one.start - first] + one.text + text[one.end - first :]
    return " ".join(text.split())


def whole_names(sentences: Iterable["Span"]) -> list[str]:
    """Return the names of persons with more than one word, each once."""
    found = (_bare(entity) for one in sentences for entity in one.ents if entity.label_ == "PERSON")
    return list(dict.fromkeys(name for name in found if len(name.split()) > 1))
