"""Whether the evidence names what a claim is about.

What a claim is about is the name that is the subject of its main verb: `Anton Weiss` in "Anton Weiss retired in 1987".
If the subject is no name, it is the names in the subject ("the mayor of Hexley") and the persons that the claim names,
else all names in it. If no passage has any of these names, the passages are about somebody or something else, and no
verdict follows from them. A passage names a person if it has the last name or the initials (`JFK`), and anything else
if it has a word of the name, its initials (`CDC`), or a word for its people (`Chinese`).

Limitations: English, by spaCy's small parser. One passage with the name is enough; that others are about another name
goes unnoticed, and so is that one of the same name is meant.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from src.name_index import SMALL, NameIndex, initials, name_words, synonyms
from src.spacy_pipelines import FROM_PYPI, load
from src.stance.records import Passage

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

_ACRONYM, _SHORT_ACRONYM = re.compile(r"\b[A-Z]{2,}\b"), re.compile("[A-Z]{2,3}")
_SUFFIXES = {"jr", "sr", "ii", "iii", "iv", "v", "vi", "vii", "viii", "xiv", "xvi", "xxiii"}
_MEASURES = ("CARDINAL", "DATE", "MONEY", "ORDINAL", "PERCENT", "QUANTITY", "TIME")
_UNITS = {"celsius", "fahrenheit", "kelvin"}
_GENERIC = {
    "administration", "agency", "airlines", "airport", "army", "association", "bank", "board", "city", "club", "co",
    "commission", "committee", "company", "congress", "corp", "corporation", "council", "county", "court", "department",
    "district", "foundation", "government", "group", "high", "hospital", "inc", "institute", "island", "limited", "ltd",
    "ministry", "national", "north", "office", "parliament", "party", "police", "president", "province", "republic",
    "river", "school", "senate", "society", "south", "state", "states", "supreme", "union", "united", "university",
}  # fmt: skip  # words that many names have; they name something only if the name has no other word
_PEOPLES = (
    ("cyprus", "cypriot"), ("denmark", "danish", "danes"), ("finland", "finnish", "finns"), ("france", "french"),
    ("greece", "greek"), ("iceland", "icelandic"), ("ireland", "irish"), ("netherlands", "dutch", "holland"),
    ("norway", "norwegian"), ("philippines", "filipino"), ("poland", "polish", "poles"), ("portugal", "portuguese"),
    ("republicans", "republican", "gop"), ("scotland", "scottish", "scots"), ("spain", "spanish", "spaniards"),
    ("switzerland", "swiss"), ("thailand", "thai"), ("turkey", "turkish", "turks"), ("wales", "welsh"),
)  # fmt: skip
_LONGER = 4  # letters that a word for a people may have more than the name: Brazil, Brazilians
_SHORTEST = 4  # letters of the beginning that both have


class Subject(NamedTuple):
    """A name that a claim is about.

    `name`: the name.
    `words`: words in lower case, one of which a text that names it has; none if the name is too short (`X`, `AT&T`), so
        that the text must have the name itself.
    `initials`: initials by which texts may call it, in lower case.
    `is_acronym`: the name is two or three capitals, such as `US`, so that it does not count in small letters.
    `is_person`: the name is that of a person.
    """

    name: str
    words: tuple[str, ...]
    initials: frozenset[str]
    is_acronym: bool
    is_person: bool


def unnamed_subject(claim: str, passages: Sequence[Passage]) -> str:
    """Return the name that the claim is about if none of the passages has it; "" if one has it, or there is no name.

    Raises MissingExtra when spaCy's small pipeline is not installed.
    """
    names = subjects(claim)
    if any(_names(one.text, name) for one in passages for name in names):
        return ""
    return names[0].name if names else ""


@lru_cache(256)
def subjects(claim: str) -> tuple[Subject, ...]:
    """Return what the claim is about.

    It is nothing for a claim in capitals, in which names are not to be told from other words.
    """
    if claim.isupper():
        return ()
    parser = load(FROM_PYPI, ["lemmatizer"])
    with parser.memory_zone():  # otherwise every new word stays in memory
        found = next(filter(None, _readings(parser(claim))), [])
        return tuple(map(_subject, {head.i: head for head in found}.values()))


def _readings(parse: "Doc") -> "Iterator[list[Token]]":
    """Yield the heads of the names that the claim may be about, most likely ones first."""
    subject = next((one for one in parse if one.dep_ in ("nsubj", "nsubjpass") and one.head.dep_ == "ROOT"), None)
    persons = [one.root for one in parse.ents if one.label_ == "PERSON" and _is_part(one.root)]
    if subject is not None:
        yield [one for one in (subject, *subject.children) if _is_name(one) and one.dep_ in (subject.dep_, "appos")]
        inside = [one for one in subject.subtree if _is_head(one) and not _is_aside(one, subject)]
        yield [*inside, *persons] if inside else []
    yield [*(one for one in parse if _is_head(one)), *persons]


@lru_cache(256)
def _index(text: str) -> NameIndex:
    return NameIndex(text)


def _is_name(word: "Token") -> bool:
    """Return True for a proper noun; not for a day, an amount or a unit, nor with a number, nor for "a Congressman"."""
    is_one_of_many = any(child.lower_ in ("a", "an") or child.dep_ == "nummod" for child in word.lefts)
    is_measure = word.ent_type_ in _MEASURES or word.lower_ in _UNITS
    return _is_part(word) and not is_one_of_many and not is_measure


def _is_head(word: "Token") -> bool:
    """Return True for the last word of a name."""
    return _is_name(word) and not (word.dep_ in ("compound", "nmod") and _is_part(word.head))


def _is_aside(word: "Token", subject: "Token") -> bool:
    """Return True for a word in a clause within the subject: `Facebook` in "An image shared on Facebook shows …"."""
    while word.i != subject.i:
        if word.dep_ in ("acl", "relcl"):
            return True
        word = word.head
    return False


def _subject(head: "Token") -> Subject:
    """Return the subject of which the word is the head."""
    whole, is_person = _whole(head), head.ent_type_ == "PERSON"
    name, phrase = whole.text, head.doc[head.left_edge.i : head.right_edge.i + 1].text
    words = [
        word for word in name_words(name) if word not in SMALL | _SUFFIXES and len(word) > 1 and not word.isdigit()
    ]
    wanted = words[-1:] if is_person else [word for word in words if word not in _GENERIC] or words
    is_acronym = bool(_SHORT_ACRONYM.fullmatch(name.replace(".", "")))
    person = " ".join(word.text for word in whole if word.ent_type_ == "PERSON")  # without a title before it
    letters = initials(person) if is_person else initials(name) | initials(phrase)
    return Subject(name, tuple(wanted), letters, is_acronym, is_person)


def _whole(head: "Token") -> "Span":
    """Return the whole name: with the proper nouns right before its head, and those of an "of" right behind it.

    A number is part of it if no space is between: `3M`.
    """
    first, last = head.i, head.i
    while before := next((n for n in (1, 2) if _is_joined(head, first - n, first)), 0):
        first -= before
    if first > head.sent.start and head.doc[first - 1].like_num and not head.doc[first - 1].whitespace_:
        first -= 1
    of = next((one for one in head.rights if one.lower_ == "of" and one.i == last + 1), None)
    if of is not None and (inside := next((one for one in of.children if _is_part(one)), None)):
        last = inside.i
    return head.doc[first : last + 1]


def _is_joined(head: "Token", start: int, end: int) -> bool:
    """Return True if a proper noun begins at `start` that goes on at `end`: right before it, or before a hyphen."""
    if start < head.sent.start or not _is_part(head.doc[start]):
        return False
    return end - start == 1 or str(head.doc[start + 1 : end]) == "-"


def _is_part(word: "Token") -> bool:
    return word.pos_ == "PROPN" and word.text[:1].isupper()


def _names(text: str, subject: Subject) -> bool:
    """Return True if the text has a word of the subject, a word for its people, or its initials."""
    acronyms = {one.lower() for one in _ACRONYM.findall(text.replace(".", ""))}
    if acronyms & subject.initials:
        return True
    if subject.is_acronym:
        return any(_has_acronym(text, word, acronyms) for word in subject.words)
    if not subject.words:
        return _has_as_written(text, subject.name)
    index = _index(text)
    return any(index.has(word) or (not subject.is_person and _has_people(text, word)) for word in subject.words)


def _has_as_written(text: str, name: str) -> bool:
    """Return True if the text has a short name in the same letters: `AT&T`, `AT & T`, `M&Ms`."""
    parts = " ?& ?".join(map(re.escape, name.split("&")))
    return re.search(rf"(?<!\w){parts}(?:['\u2019]?s)?(?!\w)", text) is not None


def _has_acronym(text: str, word: str, acronyms: set[str]) -> bool:
    """Return True if the text has the acronym in capitals, the words behind it, or a synonym such as America for US."""
    others = {form for one in synonyms(word) if one != word and len(one) > 2 for form in (one, f"{one}s")}
    return word in acronyms or word in initials(text) or not others.isdisjoint(name_words(text))


def _has_people(text: str, word: str) -> bool:
    """Return True if the text has an adjective or a people of a country or party: `Chinese`, `Dutch`, `Democratic`."""
    others = next((group for group in _PEOPLES if word in group), ())
    beginning = word[:-1]
    return any(
        one in others or (len(beginning) >= _SHORTEST and one.startswith(beginning) and len(one) <= len(word) + _LONGER)
        for one in name_words(text)
    )
