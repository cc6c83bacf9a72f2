"""What a tagger finds in a sentence, and what it thinks of what the words alone have found.

A kind of error is found where its probability is highest over the words of the sentence, if above a threshold. Whether
an entity or noun phrase is intrinsic or extrinsic is told by the source: the tagger says that it is wrong, not why. A
finding by words alone stands where the tagger has some doubt of its span.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from src.explanation.checks.grounds import Grounds
from src.explanation.records import Finding
from src.explanation.typology import ErrorType
from src.models.faithfulness import LABELS, NONE, Word
from src.reranking.hybrid.own_words import own_words

BY_WORDS = "doubt"  # the kind of what rules found: its threshold
REACH = 0.3  # of its peak, which a neighbouring word must have to belong to the span


class Thresholds(msgspec.Struct, frozen=True):
    """Probabilities, chosen on claims of AVeriTeC's train that the tagger has not learned from.

    `doubt` is what a finding by words alone needs: one less the probability that its words are faithful.
    """

    entity: float = 0.5
    noun_phrase: float = 0.5
    intrinsic_event: float = 0.5
    extrinsic_event: float = 0.5
    coherence: float = 0.5
    overgeneralisation: float = 0.5
    irrelevant: float = 0.5
    doubt: float = 0.0


THRESHOLDS = Thresholds()
_KINDS: dict[str, tuple[ErrorType, ...]] = {
    "entity": (ErrorType.INTRINSIC_ENTITY, ErrorType.EXTRINSIC_ENTITY),
    "noun_phrase": (ErrorType.INTRINSIC_NOUN_PHRASE, ErrorType.EXTRINSIC_NOUN_PHRASE),
    "intrinsic_event": (ErrorType.INTRINSIC_EVENT,),
    "extrinsic_event": (ErrorType.EXTRINSIC_EVENT,),
    "coherence": (ErrorType.REASONING_COHERENCE,),
    "overgeneralisation": (ErrorType.OVERGENERALISATION,),
    "irrelevant": (ErrorType.IRRELEVANT_EVIDENCE,),
}
_REASONS = {
    "entity": "this name or number is not what the evidence says here",
    "noun_phrase": "the evidence does not describe it so",
    "intrinsic_event": "the evidence says otherwise",
    "extrinsic_event": "the evidence tells of no such thing",
    "coherence": "it does not follow for this verdict",
    "overgeneralisation": "the evidence does not go so far",
    "irrelevant": "it has nothing to do with the claim",
}


class Candidate(NamedTuple):
    """A finding that stands where `chance` reaches the threshold of its kind."""

    kind: str
    chance: float
    finding: Finding


def of_tagger(words: Sequence[Word], sentence: str, place: int, grounds: Grounds) -> Iterator[Candidate]:
    """One of each kind; none of a sentence without words."""
    for kind, types in _KINDS.items() if words else ():
        chances = [sum(word.probabilities[LABELS.index(one)] for one in types) for word in words]
        span = _span(words, chances, sentence)
        type_ = types[0] if len(types) == 1 or _is_told(span, grounds) else types[1]
        yield Candidate(kind, max(chances), Finding(grounds.claim.claim_id, place, type_, span, _REASONS[kind]))


def of_words(found: Finding, words: Sequence[Word], sentence: str) -> Candidate:
    """A finding by words alone, as probable as the tagger doubts its span."""
    return Candidate(BY_WORDS, doubt(words, found.span, sentence), found)


def doubt(words: Sequence[Word], span: str, sentence: str) -> float:
    """The highest over the words of the span; 1 where the tagger has read none of them, or it is no part as it is."""
    start = sentence.find(span)
    inside = [word for word in words if word.start < start + len(span) and word.end > start >= 0]
    return max((1.0 - word.probabilities[LABELS.index(NONE)] for word in inside), default=1.0)


def _span(words: Sequence[Word], chances: Sequence[float], sentence: str) -> str:
    """The whole words around the peak."""
    at = max(range(len(words)), key=chances.__getitem__)
    first, last = at, at
    while first and chances[first - 1] >= REACH * chances[at]:
        first -= 1
    while last + 1 < len(words) and chances[last + 1] >= REACH * chances[at]:
        last += 1
    start, end = words[first].start, words[last].end
    while start and not sentence[start - 1].isspace():
        start -= 1
    while end < len(sentence) and not sentence[end].isspace():
        end += 1
    return sentence[start:end].strip(" ,.;:!?")


def _is_told(span: str, grounds: Grounds) -> bool:
    return set(own_words(span)) <= grounds.words
