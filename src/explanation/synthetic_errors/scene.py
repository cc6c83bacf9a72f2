"""Preparation of clean explanations for planting (`Scene`): their sentences, names, numbers and parses."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import TYPE_CHECKING

from src.explanation.checks.grounds import Grounds, without_references
from src.explanation.pieces import pieces
from src.explanation.records import ExplainedClaim
from src.quantities import Quantity, quantities
from src.reranking.other_claims import OtherClaims
from src.text import same, sentences

if TYPE_CHECKING:
    from spacy.language import Language
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
    """Return the entities of at most `LONGEST_NAME` words that look like names, without headlines and references to
    the evidence.
    """
    return [one for one in map(_bare_name, doc.ents) if one.label_ in OF_NAMES and _is_name(one)]


def numbers_of(sentence: str) -> list[re.Match[str]]:
    """Return the numbers in the sentence, without those that refer to the evidence, as in `the answer to
    question 2`.
    """
    return list(NUMBER.finditer(without_references(sentence)))


def value(number: str) -> float:
    """Return the value of a number as written in a text."""
    return float(number.replace(",", ""))


def kin(text: str) -> frozenset[int]:
    """Return the indices (from 0) in `_KIN` of the names that the text mentions. Each entry of `_KIN` has the forms of
    one name, such as `uk` and `britain`.
    """
    plain = f" {' '.join(re.findall(r'[a-z0-9]+', text.casefold().replace('.', '')))} "
    return frozenset(at for at, forms in enumerate(_KIN) if any(f" {form} " in plain for form in forms))


def is_of_task(word: "Token") -> bool:
    """Return True if the word refers to the fact-check itself: claim, evidence, answer and so on."""
    return word.lower_.rstrip("s") in _OF_TASK


def _bare_name(name: "Span") -> "Span":
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


REACH = 60  # most other claims that are considered
FEWEST_WORDS = 5  # fewest words of an answer that counts as shared by two claims


class Neighbors:
    """Index of claims, to find those that are most similar to a given claim."""

    def __init__(self, claims: Sequence[ExplainedClaim]) -> None:
        self._claims = claims
        self._others = OtherClaims((one.claim, one.claim) for one in claims)

    def of(self, claim: ExplainedClaim) -> Iterator[ExplainedClaim]:
        """Yield similar claims, nearest first, that share neither an answer nor half of their words with the given
        claim.
        """
        own = _answers(claim)
        for at in self._others.nearest(claim.claim, REACH):
            other = self._claims[at]
            if other.evidence and same(other.claim) != same(claim.claim) and not own & _answers(other):
                yield other


def _answers(claim: ExplainedClaim) -> set[str]:
    return {same(one.answer) for one in claim.evidence if len(one.answer.split()) >= FEWEST_WORDS}


SHORTEST, LONGEST = 8, 40  # words of a sentence that is inserted
TRIES = 200
_SHORTENED = re.compile(r"\b(?:\w\.){2,}$|\b(?:Inc|Ltd|Co|Corp|Jr|Sr|No|Mr|Mrs|Dr|St|etc)\.$")
_NEAR = 1  # most shared words of more than four letters between a sentence of another claim and this claim


@dataclass(frozen=True)
class Edit:
    """Edit that plants an error in an explanation.

    `sentence`: index (from 0) of the sentence in the explanation.
    `start`, `end`: the characters from `start` up to, not including, `end` of the sentence are replaced.
    `text`: the new text.
    `whole`: True if `text` is a sentence that is inserted before this sentence.
    """

    sentence: int
    start: int
    end: int
    text: str
    whole: bool = False


@dataclass(frozen=True)
class Scene:
    """A clean explanation, prepared for planting.

    `claim`: the claim with its explanation.
    `sentences`: those of the explanation.
    `parses`: spaCy's parse of each sentence.
    `source`: spaCy's parse of claim and evidence.
    """

    claim: ExplainedClaim
    sentences: tuple[str, ...]
    parses: tuple["Doc", ...]
    source: "Doc"

    @cached_property
    def words(self) -> frozenset[str]:
        """Return the words of claim, evidence and explanation, in lower case."""
        return frozenset(word.lower_ for doc in (self.source, *self.parses) for word in doc)

    @cached_property
    def text(self) -> str:
        """Return claim, evidence and explanation as one text."""
        return f"{self.source.text} {' '.join(self.sentences)}"

    @cached_property
    def numbers(self) -> list[Quantity]:
        return quantities(self.text)

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """Return the indices (from 0) of the sentences that end with a full stop or exclamation mark, but not with an
        abbreviation.

        A clause can be inserted before this mark.
        """
        stops = [at for at, sentence in enumerate(self.sentences) if sentence.endswith((".", "!"))]
        return tuple(at for at in stops if not _SHORTENED.search(self.sentences[at]))


@dataclass(frozen=True)
class Elsewhere:
    """Material from all claims, to be used in other claims.

    `names`: names by their spaCy type.
    `sentences`: sentences of evidence, each with the claim_id it is from.
    `claims`: the whole claims.
    """

    names: Mapping[str, Sequence[str]]
    sentences: Sequence[tuple[int, str]]
    claims: Sequence[ExplainedClaim] = ()

    @cached_property
    def near(self) -> Neighbors:
        """Return an index of the claims by similarity."""
        return Neighbors(self.claims)


def scenes(claims: Sequence[ExplainedClaim], language: "Language") -> Iterator[Scene]:
    """Yield the prepared explanations of the claims that have one, in order."""
    explained = [claim for claim in claims if claim.explanation]
    sources = (Grounds.of(one).text for one in explained)
    for claim, source in zip(explained, language.pipe(sources, batch_size=32), strict=True):
        texts = tuple(sentences(" ".join((claim.explanation or "").split())))
        yield Scene(claim, texts, tuple(language.pipe(texts)), source)


def elsewhere(prepared: Sequence[Scene]) -> Elsewhere:
    """Return the names and sentences of all prepared explanations and their evidence, to be used in other claims."""
    names: dict[str, dict[str, None]] = defaultdict(dict)
    put_in: dict[tuple[int, str], None] = {}
    for scene in prepared:
        for doc in (scene.source, *scene.parses):
            for name in names_of(doc):
                names[name.label_][name.text] = None
        texts = (text for piece in pieces(scene.claim) for text in sentences(piece.text))
        for text in texts:
            is_whole = text.endswith(".") and text[:1].isupper() and "claim" not in text.lower()
            if is_whole and SHORTEST <= len(text.split()) <= LONGEST:
                put_in[(scene.claim.claim_id, text)] = None
    of_names = {kind: list(them) for kind, them in names.items()}
    return Elsewhere(of_names, list(put_in), [scene.claim for scene in prepared])


def sentence_of_another(scene: Scene, pool: Sequence[tuple[int, str]], draw: Random) -> str | None:
    """Return a random sentence from `pool` that is of another claim and shares hardly a word with this claim; None if
    none of `TRIES` draws gives one.
    """
    known = {word for word in scene.words if len(word) > 4}
    for of, sentence in (draw.choice(pool) for _ in range(TRIES if pool else 0)):
        shared = {word.lower() for word in re.findall(r"\w+", sentence)} & known
        if of != scene.claim.claim_id and len(shared) <= _NEAR:
            return sentence
    return None
