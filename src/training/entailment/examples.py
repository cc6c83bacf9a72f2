"""The training examples of an entailment model: claims with decisive evidence, and variants of both.

    whole     a claim of HOVER or FEVEROUS-S with all its gold passages: entailed or contradicted
    negated   a true claim's false form with the same passages: contradicted
    noisy     a claim with its passages and some of other claims: the label of "whole"
    partial   a true claim without one of its passages: neutral
    foreign   a claim with passages of the most similar claims (BM25): neutral
    swapped   a true claim with another number or name: contradicted
    sentence  a sentence of a passage: entailed by the claim's passages; contradicted if a number or name is swapped;
              neutral with other passages
    averitec  a claim of AVeriTeC with its gold answers: supported, refuted, not enough evidence

Limitations: HOVER's claims that are not supported count as contradicted, but some of them are only undecided.
"""

from collections.abc import Sequence
from random import Random

import msgspec

from src.claims import LabelledClaim
from src.evaluation.gold_pairs import gold_pairs
from src.models.entailment import LABELS, TitledText
from src.models.evidence_rows import Input
from src.records import Claim, Value, Verdict
from src.text import sentences
from src.training.entailment.neighbours import Neighbours, passages
from src.training.entailment.swaps import swapped

ENTAILED, CONTRADICTED, NEUTRAL = range(len(LABELS))
OF_VERDICT = {
    Verdict.SUPPORTED: ENTAILED,
    Verdict.REFUTED: CONTRADICTED,
    Verdict.NOT_ENOUGH_EVIDENCE: NEUTRAL,
}
FOREIGN = 4  # the most passages of other claims
SHORTEST = 6  # the fewest words of a sentence that is a hypothesis
LONG = 150  # words of a claim's passages, above which fewer examples are made of it


class EntailmentExample(msgspec.Struct, frozen=True):
    """A training example. `label` is an index into `LABELS`."""

    kind: str
    text: Input
    label: int


def whole(claim: LabelledClaim) -> EntailmentExample:
    label = ENTAILED if claim.value is Value.TRUE else CONTRADICTED
    return EntailmentExample("whole", (claim.claim, passages(claim)), label)


def labelled_examples(claims: Sequence[LabelledClaim], seed: int) -> list[EntailmentExample]:
    """Return the examples of the claims with evidence.

    The random choices for a claim depend on the seed, its key and the claims similar to it.
    """
    with_text = [claim for claim in claims if claim.gold]
    neighbours = Neighbours(with_text)
    return [
        example
        for place, claim in enumerate(with_text)
        for example in _Making(claim, neighbours.of(place), Random(f"{seed}\n{claim.key}")).examples()
    ]


def averitec_examples(claims: Sequence[Claim], seed: int) -> list[EntailmentExample]:
    """Return an example of each claim with evidence and a verdict other than conflicting.

    Half of them have no questions.
    """
    found = []
    for claim in claims:
        label, pairs = OF_VERDICT.get(claim.label) if claim.label else None, gold_pairs(claim)
        if label is not None and pairs:
            bare = Random(f"{seed}\n{claim.claim}").random() < 0.5
            shown = [("", answer) for _, answer in pairs] if bare else pairs
            found.append(EntailmentExample("averitec", (claim.claim, shown), label))
    return found


class _Making:
    """The maker of the examples of one claim."""

    def __init__(self, claim: LabelledClaim, foreign: Sequence[TitledText], draw: Random) -> None:
        self._claim, self._foreign, self._draw = claim, foreign, draw
        self._own = passages(claim)
        self._text = " ".join(text for _, text in self._own)
        self._whole = whole(claim)

    def examples(self) -> list[EntailmentExample]:
        """Return the whole claim, its false form, and some of the other kinds: one if the passages are long."""
        made = [self._of("whole", self._claim.claim, self._own, self._whole.label)]
        if self._claim.negated:
            made.append(self._of("negated", self._claim.negated, self._own, CONTRADICTED))
        ways = [self._noisy, self._of_sentence, self._another]
        ways += [self._swapped, self._partial] if self._claim.value is Value.TRUE else []
        few = 1 if len(self._text.split()) > LONG else (len(ways) + 1) // 2
        made += [way() for way in self._draw.sample(ways, few)]
        return [example for example in made if example is not None]

    def _another(self) -> EntailmentExample | None:
        return self._of("foreign", self._claim.claim, self._some(self._foreign), NEUTRAL)

    def _of(self, kind: str, hypothesis: str, shown: Sequence[TitledText], label: int) -> EntailmentExample | None:
        """Return an example with the passages in random order, or None without passages."""
        shuffled = self._draw.sample(list(shown), len(shown))
        return EntailmentExample(kind, (hypothesis, shuffled), label) if shown else None

    def _some(self, found: Sequence[TitledText]) -> list[TitledText]:
        return self._draw.sample(list(found), min(len(found), self._draw.randint(1, FOREIGN)))

    def _noisy(self) -> EntailmentExample | None:
        return self._of(
            "noisy", self._claim.claim, [*self._own, *self._some(self._foreign)[:2]], self._whole.label
        )  # fmt: skip

    def _swapped(self) -> EntailmentExample | None:
        false = swapped(self._claim.claim, self._text, [text for _, text in self._foreign], self._draw)
        return None if false is None else self._of("swapped", false, self._own, CONTRADICTED)

    def _partial(self) -> EntailmentExample | None:
        if len(self._own) < 2:
            return None
        lost = self._draw.randrange(len(self._own))
        rest = [one for place, one in enumerate(self._own) if place != lost]
        return self._of("partial", self._claim.claim, rest, NEUTRAL)

    def _of_sentence(self) -> EntailmentExample | None:
        source = self._draw.choice(self._own)
        long = [one for one in sentences(source[1]) if len(one.split()) >= SHORTEST]
        if not long:
            return None
        sentence, chance = self._draw.choice(long), self._draw.random()
        if chance < 0.3:
            return self._of("sentence", sentence, [one for one in self._own if one != source] or self._foreign, NEUTRAL)
        false = swapped(sentence, sentence, [text for _, text in self._foreign], self._draw) if chance < 0.65 else None
        if false is not None:
            return self._of("sentence", false, self._own, CONTRADICTED)
        return self._of("sentence", sentence, self._own, ENTAILED)
