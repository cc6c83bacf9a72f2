"""Candidate answers of a question: names, numbers and dates in passages, of the kind that its question word asks for.

Each candidate turns the question into a sentence: "Which river runs through Lund?" and "Höje" make "Höje runs through
Lund", "Which film did Ann direct?" and "Snow" make "Ann did direct Snow".

Limitations: spaCy's small English pipeline finds the candidates, and misses some; questions with how and why have none.
"""

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from src.programs.answerers.inversion import statement_of
from src.programs.records import StepEvidence
from src.spacy_pipelines import FROM_PYPI, load
from src.text import same

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token

MOST = 12  # candidates of a question
REMEMBERED = 1024  # cached questions with their passages: they are needed again after scoring
PERSONS = ("PERSON", "ORG", "NORP")
PLACES = ("GPE", "LOC", "FAC", "ORG")
DATES = ("DATE", "TIME")
NUMBERS = ("CARDINAL", "QUANTITY", "ORDINAL", "PERCENT", "MONEY")
ANY = (*PERSONS, *PLACES, "WORK_OF_ART", "EVENT", "PRODUCT", "LANGUAGE", "LAW", *DATES, *NUMBERS)
BY_WORD = {"who": PERSONS, "whom": PERSONS, "whose": PERSONS, "where": PLACES, "when": DATES}
WORKS = ("WORK_OF_ART", "ORG", "PRODUCT", "EVENT")
NAMES = tuple(kind for kind in ANY if kind not in (*DATES, *NUMBERS))
PERSON_NOUNS = (
    "actor", "actress", "artist", "astronaut", "athlete", "author", "comedian", "composer", "director", "individual",
    "journalist", "man", "musician", "novelist", "person", "player", "playwright", "poet", "politician", "producer",
    "rapper", "screenwriter", "singer", "songwriter", "woman", "writer",
)  # fmt: skip
WORK_NOUNS = (
    "album", "book", "film", "magazine", "movie", "musical", "novel", "opera", "play", "series", "show", "single",
    "sitcom", "song",
)  # fmt: skip
PLACE_NOUNS = (
    "city", "town", "country", "state", "county", "place", "region", "continent", "village", "suburb", "island",
)  # fmt: skip
BY_NOUN = (
    dict.fromkeys(("year", "date", "day", "month", "decade", "century"), DATES)
    | dict.fromkeys(("number", "percentage", "age", "amount", "rank"), NUMBERS)
    | dict.fromkeys(PLACE_NOUNS, PLACES)
    | dict.fromkeys(PERSON_NOUNS, ("PERSON",))
    | dict.fromkeys(WORK_NOUNS, WORKS)
)
COUNTED = {"many", "much", "old", "long", "far", "tall", "large", "high", "big"}


class Asked(NamedTuple):
    """A question without its question words, and the kinds of names that fit in their place."""

    before: str
    after: str
    kinds: tuple[str, ...]

    def answered(self, name: str) -> str:
        return " ".join(filter(None, (self.before, name, self.after)))


@lru_cache(REMEMBERED)
def candidates(question: str, passages: tuple[StepEvidence, ...]) -> dict[str, str]:
    """Return the sentences, each with its candidate; empty if the question asks for no such kind."""
    asked = _asked(_pipeline()(question))
    if asked is None:
        return {}
    found = list(dict.fromkeys(_named(question, passages, asked.kinds)))[:MOST]
    return {asked.answered(name): name for name in found}


def _named(question: str, passages: Sequence[StepEvidence], kinds: Sequence[str]) -> Iterator[str]:
    """Yield the candidates: titles first, because pages are about what they name. Names in the question itself are left
    out."""
    told = f" {same(question)} "
    if not set(kinds) <= {*DATES, *NUMBERS}:
        titles = [one.title for one in passages if one.title]
        yield from (title for title in titles if f" {same(title)} " not in told)
    for document in _pipeline().pipe(one.sentence for one in passages):
        yield from (
            entity.text for entity in document.ents if entity.label_ in kinds and f" {same(entity.text)} " not in told
        )


@cache
def _pipeline() -> "Language":
    return load(FROM_PYPI, ["lemmatizer"])


def _asked(question: "Doc") -> Asked | None:
    words = [token for token in question if token.lower_ in (*BY_WORD, "which", "what", "how")]
    if not words:
        return None
    first, last = _span(question, words[0])
    kinds = _kinds(question, words[0], last)
    before, after = question[:first].text.strip(), question[last:].text.strip().removesuffix("?").strip()
    if kinds is None:
        return None
    turned = statement_of(question, last) if first == 0 and words[0].lower_ not in ("when", "where", "how") else None
    if turned is not None:
        return Asked(turned.before, turned.after, kinds)
    adverb = words[0].lower_ in ("when", "where")  # "was Ann born" reads better before its date than after it
    return Asked(" ".join(filter(None, (before, after))), "", kinds) if adverb else Asked(before, after, kinds)


def _span(question: "Doc", word: "Token") -> tuple[int, int]:
    """Return the span of the question words: "which river", "how many", "who"; of "which river's mouth" the first
    two."""
    if word.lower_ == "how":
        return word.i, min(word.i + 2, len(question))
    ends = [chunk.end for chunk in question.noun_chunks if chunk.start <= word.i < chunk.end]
    ends += [one.i for one in question[word.i :] if one.lower_ in ("do", "does", "did") and one.dep_ == "aux"]
    end = ends[0] if ends else word.i + 1
    owners = [one.i for one in question[word.i : end] if one.tag_ == "POS"]
    return word.i, owners[0] if owners else end


def _kinds(question: "Doc", word: "Token", last: int) -> tuple[str, ...] | None:
    if word.lower_ == "how":
        return (*NUMBERS, *DATES) if question[last - 1].lower_ in COUNTED else None
    others = NAMES if word.lower_ == "which" else ANY
    return BY_WORD.get(word.lower_) or BY_NOUN.get(question[last - 1].lower_, others)
