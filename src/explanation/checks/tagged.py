"""Findings of the tagger in a sentence, its opinion of the findings of the lexical rules, and the thresholds.

The tagger is a small model that returns, for each word of a sentence, the probabilities of the types of errors and of
"no error". A type of error is located at the word with its highest probability, if that reaches a threshold. The source
(claim and evidence) decides if a wrong entity or noun phrase is intrinsic or extrinsic. For a word that the source has,
the tagger's probabilities of intrinsic and extrinsic are added and count as intrinsic. Any other word has probability 0
of intrinsic. A lexical finding is kept if the tagger's doubt of a word of its span reaches a threshold.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from src.explanation.checks.grounds import Grounds
from src.explanation.records import Finding
from src.explanation.typology import MADR_TYPES, ErrorType
from src.models.faithfulness import LABELS, NONE, Word
from src.reranking.hybrid.own_words import own_words

NEVER = 1.01


class Thresholds(msgspec.Struct, frozen=True):
    """Smallest probabilities of findings that are kept: one for each type, and one for each lexical check (`words_…`).

    `bench/check_thresholds.py` chooses them so that they find the most errors while at most a given share of clean
    explanations is flagged; those in use allow three quarters of that share. The claims are from AVeriTeC's train
    split, and the tagger was not trained on them. For a lexical check, the probability is 1 minus the probability that
    its words are faithful. `words_overgeneralisation` is set by hand: a threshold that is chosen on words which the
    tagger was trained on does not fit other words.
    """

    intrinsic_entity: float = 0.81
    extrinsic_entity: float = 0.31
    intrinsic_event: float = 0.89
    extrinsic_event: float = 0.98
    intrinsic_noun_phrase: float = 0.95
    extrinsic_noun_phrase: float = 0.65
    reasoning_coherence: float = 0.91
    overgeneralisation: float = 0.89
    irrelevant_evidence: float = 0.99
    words_entity: float = 0.93
    words_number: float = 0.95
    words_overgeneralisation: float = 0.5
    words_reasoning_coherence: float = 0.21
    words_irrelevant_evidence: float = NEVER


THRESHOLDS = Thresholds()
ALL_STAND = Thresholds(*[0.0] * len(Thresholds.__struct_fields__))  # without a tagger all lexical findings are kept


REACH = 0.3  # share of the peak's probability that a neighboring word needs to belong to the span
_REASONS = {
    ErrorType.INTRINSIC_ENTITY: "the evidence has another name or number here",
    ErrorType.EXTRINSIC_ENTITY: "the evidence has no such name or number",
    ErrorType.INTRINSIC_EVENT: "the evidence says otherwise",
    ErrorType.EXTRINSIC_EVENT: "the evidence tells of no such thing",
    ErrorType.INTRINSIC_NOUN_PHRASE: "the evidence does not describe it so, but something else",
    ErrorType.EXTRINSIC_NOUN_PHRASE: "the evidence does not describe it so",
    ErrorType.REASONING_COHERENCE: "it does not follow for this verdict",
    ErrorType.OVERGENERALISATION: "the evidence does not go so far",
    ErrorType.IRRELEVANT_EVIDENCE: "it has nothing to do with the claim",
}
_BY_SOURCE = {
    ErrorType.INTRINSIC_ENTITY: ErrorType.EXTRINSIC_ENTITY,
    ErrorType.INTRINSIC_NOUN_PHRASE: ErrorType.EXTRINSIC_NOUN_PHRASE,
}


class Candidate(NamedTuple):
    """A possible finding; it is kept if its probability reaches its threshold.

    `kind`: name of the threshold, a field of `Thresholds`.
    `chance`: probability of the finding.
    `finding`: the finding.
    """

    kind: str
    chance: float
    finding: Finding

    @property
    def is_of_words(self) -> bool:
        return self.kind.startswith("words_")


def of_tagger(words: Sequence[Word], sentence: str, place: int, grounds: Grounds) -> Iterator[Candidate]:
    """Yield the tagger's candidates in a sentence, at most one of each type. `place` is the index (from 0) of the
    sentence in the explanation.
    """
    in_source = [_is_in_source(_whole(word.start, word.end, sentence), grounds) for word in words]
    for type_ in MADR_TYPES:
        chances = [_chance(type_, word, in_source=one) for word, one in zip(words, in_source, strict=True)]
        if (highest := max(chances, default=0.0)) > 0:
            span = _span(words, chances, sentence)
            reported = _by_source(type_, span, grounds)
            reason = _REASONS[reported]
            yield Candidate(type_.name.lower(), highest, Finding(grounds.claim.claim_id, place, reported, span, reason))


def _chance(type_: ErrorType, word: Word, *, in_source: bool) -> float:
    own = word.probabilities[LABELS.index(type_)]
    if (extrinsic := _BY_SOURCE.get(type_)) is None:
        return own
    return own + word.probabilities[LABELS.index(extrinsic)] if in_source else 0.0


def _by_source(type_: ErrorType, span: str, grounds: Grounds) -> ErrorType:
    """Return the intrinsic type if the source has the words of the span, else the extrinsic type. Types other than
    entities and noun phrases are returned unchanged.
    """
    for intrinsic, extrinsic in _BY_SOURCE.items():
        if type_ in (intrinsic, extrinsic):
            return intrinsic if _is_in_source(span, grounds) else extrinsic
    return type_


def of_words(kind: str, finding: Finding, words: Sequence[Word], sentence: str) -> Candidate:
    """Return a lexical finding as a candidate; its probability is the tagger's doubt of the words of its span
    (`doubt`).

    `kind` is the name of its threshold, `words` are the tagger's results for the words of the sentence.
    """
    return Candidate(kind, doubt(words, finding.span, sentence), finding)


def doubt(words: Sequence[Word], span: str, sentence: str) -> float:
    """Return the tagger's highest doubt (1 minus the probability of faithful) over all words of the span; 1 if the
    tagger has read none of them.
    """
    if not words:
        return 1.0
    read = sentence[: max(word.end for word in words) + len(span) + 1]
    spans = [match.span() for match in re.finditer(rf"(?<!\w){re.escape(span)}(?!\w)", read)]
    inside = [word for word in words if any(word.start < end and word.end > start for start, end in spans)]
    return max((1.0 - word.probabilities[LABELS.index(NONE)] for word in inside), default=1.0)


def _span(words: Sequence[Word], chances: Sequence[float], sentence: str) -> str:
    """Return the text around the word with the highest probability: whole words, with neighbors of at least REACH times
    that probability.
    """
    at = max(range(len(words)), key=chances.__getitem__)
    first, last = at, at
    while first and chances[first - 1] >= REACH * chances[at]:
        first -= 1
    while last + 1 < len(words) and chances[last + 1] >= REACH * chances[at]:
        last += 1
    return _whole(words[first].start, words[last].end, sentence)


def _whole(start: int, end: int, sentence: str) -> str:
    """Return the text from `start` to `end` of the sentence, extended to whole words."""
    while start and not sentence[start - 1].isspace():
        start -= 1
    while end < len(sentence) and not sentence[end].isspace():
        end += 1
    return sentence[start:end].strip(" ,.;:!?")


def _is_in_source(span: str, grounds: Grounds) -> bool:
    return set(own_words(span)) <= grounds.words
