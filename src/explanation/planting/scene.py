"""A clean explanation made ready to have an error planted in it: its sentences, their parses, its grounds'."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from src.explanation.checks.references import without_references
from src.explanation.pieces import pieces
from src.explanation.records import ExplainedClaim
from src.text import sentences

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span, Token

OF_NAMES = ("PERSON", "ORG", "GPE", "LOC", "NORP", "FAC", "EVENT", "PRODUCT", "WORK_OF_ART")
NUMBER = re.compile(r"(?<![\w.,/-])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\w/-])|(?<![\w.,/-])\d+(?:\.\d+)?(?![\w/-]|\.\d)")
YEAR = re.compile(r"1[5-9]\d\d|20\d\d")
SHORTEST, LONGEST = 8, 40  # words of a sentence that is put in
LONGEST_NAME = 4  # words
_OF_TASK = {"claim", "evidence", "answer", "question", "source", "qa", "q&a", "q", "pair", "label", "fact", "statement"}


@dataclass(frozen=True)
class Edit:
    """The characters `start` to `end` of a sentence become `text`; a `whole` one stands before that sentence."""

    sentence: int
    start: int
    end: int
    text: str
    whole: bool = False


@dataclass(frozen=True)
class Scene:
    """`parses` are those of the sentences `said`, `source` is the parse of claim and evidence."""

    claim: ExplainedClaim
    said: tuple[str, ...]
    parses: tuple["Doc", ...]
    source: "Doc"

    @cached_property
    def words(self) -> frozenset[str]:
        """Of claim, evidence and explanation, in lower case."""
        return frozenset(word.lower_ for doc in (self.source, *self.parses) for word in doc)

    @cached_property
    def numbers(self) -> frozenset[str]:
        """As they are written there, without the commas between thousands."""
        text = f"{self.source.text} {' '.join(self.said)}"
        return frozenset(found.replace(",", "") for found in NUMBER.findall(text))


@dataclass(frozen=True)
class Elsewhere:
    """What other claims speak of: names by their kind, and sentences, each with the claim it is of."""

    names: Mapping[str, Sequence[str]]
    sentences: Sequence[tuple[int, str]]


def scenes(claims: Sequence[ExplainedClaim], language: "Language") -> Iterator[Scene]:
    """In order, of the claims that have an explanation."""
    explained = [claim for claim in claims if claim.explanation]
    sources = ("\n".join([one.claim, *(piece.whole for piece in pieces(one))]) for one in explained)
    for claim, source in zip(explained, language.pipe(sources, batch_size=32), strict=True):
        said = tuple(sentences(" ".join((claim.explanation or "").split())))
        yield Scene(claim, said, tuple(language.pipe(said)), source)


def elsewhere(found: Sequence[Scene]) -> Elsewhere:
    names: dict[str, dict[str, None]] = defaultdict(dict)
    put_in: dict[tuple[int, str], None] = {}
    for scene in found:
        for doc in (scene.source, *scene.parses):
            for name in names_of(doc):
                names[name.label_][name.text] = None
        texts = (text for piece in pieces(scene.claim) for text in sentences(piece.text))
        for text in texts:
            if SHORTEST <= len(text.split()) <= LONGEST and text.endswith(".") and text[:1].isupper():
                put_in[(scene.claim.claim_id, text)] = None
    return Elsewhere({kind: list(them) for kind, them in names.items()}, list(put_in))


def names_of(doc: "Doc") -> list["Span"]:
    """Entities that look like names, of at most four words; headlines and mentions of the evidence are none."""
    return [one for one in map(_plain, doc.ents) if one.label_ in OF_NAMES and _is_name(one)]


def numbers_of(sentence: str) -> list[re.Match[str]]:
    """But for those that count the evidence, as in `the answer to question 2`."""
    return list(NUMBER.finditer(without_references(sentence)))


def is_of_task(word: "Token") -> bool:
    """Whether it speaks of the evidence as such."""
    return word.lower_.rstrip("s") in _OF_TASK


def _plain(name: "Span") -> "Span":
    """Without an article before it or a possessive behind it."""
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
