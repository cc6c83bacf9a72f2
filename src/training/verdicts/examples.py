"""What a verdict model learns from: claims with evidence as it is annotated, as it is mixed, and as it is retrieved.

Gold evidence is clean; what a pipeline finds is not. So beside each claim's gold pairs stand mixtures of some of them
with pairs that were asked about the most similar other claims (BM25), and what a system retrieved for the claim. A
mixture without any gold pair is in a share of cases an example of Not Enough Evidence. In a share of examples the
questions are dropped or replaced by one that only repeats the claim, so that the model leans on the answers.

The published recipe (Schlichtkrull et al. 2023; its code): every answer alone with its claim's verdict; claims with
conflicting evidence are left out, and an answer that none was found is Not Enough Evidence.

But: texts only; word pieces are `src/models/evidence_rows.py`.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random

import msgspec

from src.evaluation.floors import claim_as_its_question
from src.evaluation.gold_pairs import gold_pairs
from src.models.evidence_rows import MAX_PAIRS, Input
from src.models.veracity import joined
from src.records import VERDICTS, Answer, AnswerType, Claim, QAPair, Question, Verdict
from src.reranking.bm25 import BM25
from src.text import numbered_words, same, words
from src.training.as_met.contraries import contrary_claims, contrary_passages
from src.training.as_met.records import MetClaim
from src.training.as_met.scenarios import scenario_claims, single_passages
from src.training.entailment.contrast.figures import figure_examples, held_out_figures
from src.training.entailment.contrast.pairs import contrast_pairs, held_out_pairs
from src.training.entailment.examples import EntailmentExample
from src.training.entailment.pack_examples import pack_examples
from src.training.retrieved import Pairs

DRAWN = 5  # pairs at most, of a copy of retrieved evidence that is not whole
_OF_LABEL = (Verdict.SUPPORTED, Verdict.REFUTED, Verdict.NOT_ENOUGH_EVIDENCE)  # by entailment model's LABELS
FIGURES, HELD_OUT_FIGURES = 3500, 60  # made passages with figures
NEAR = 20  # of the nearest foreign pairs, from which those of a mixture are drawn


class VerdictExample(msgspec.Struct, frozen=True):
    text: Input
    label: Verdict


class Noise(msgspec.Struct, frozen=True):
    """How evidence is made noisy. Of a claim there are `mixtures` (0.25: of every fourth claim one), and `retrieved`
    times its retrieved pairs, the first time all, then a few drawn.

    A mixture keeps each gold pair with probability `keep`, or loses all with probability `lose`; up to `foreign` pairs
    of other claims are added. `honest` is the share of mixtures without any gold pair that become Not Enough Evidence;
    `blank` the share of examples without questions of their own.
    """

    mixtures: float = 0.25
    retrieved: int = 1
    keep: float = 0.7
    lose: float = 0.1
    foreign: int = 7
    honest: float = 0.8
    blank: float = 0.2


def joint_examples(
    claims: Sequence[Claim], retrieved: Mapping[int, Pairs], noise: Noise, seed: int
) -> list[VerdictExample]:
    """Of all labelled claims, in order. What is drawn for a claim depends on the seed and its text alone."""
    neighbours = _Neighbours(claims)
    found = []
    for claim in claims:
        if claim.label is None:
            continue
        draw = Random(f"{seed}\n{same(claim.claim)}")
        variants = [(gold_pairs(claim), claim.label)]
        count = int(noise.mixtures + draw.random())
        variants += [_mixture(claim, claim.label, neighbours, noise, draw) for _ in range(count)]
        pairs = retrieved.get(claim.claim_id, [])[:MAX_PAIRS]
        for number in range(noise.retrieved if pairs else 0):
            few = draw.sample(pairs, draw.randint(1, min(DRAWN, len(pairs)))) if number else pairs
            variants.append((few, claim.label))
        found += [
            VerdictExample((claim.claim, _disordered(claim.claim, pairs, noise, draw)), label)
            for pairs, label in variants
            if pairs
        ]
    return found


def claim_examples(claims: Sequence[Claim]) -> list[VerdictExample]:
    """The claim alone: what can be guessed from it without any evidence."""
    return [VerdictExample((claim.claim, []), claim.label) for claim in claims if claim.label is not None]


def met_examples(claims: Sequence[MetClaim]) -> list[VerdictExample]:
    """Claims with passages as a pipeline meets them, without questions."""
    return [VerdictExample(input_of(claim), claim.label) for claim in claims]


def input_of(claim: MetClaim) -> Input:
    """Return the claim with its passages."""
    return claim.claim, [("", passage.text) for passage in claim.passages]


def single_examples(pack: Path, share: float, seed: int) -> list[VerdictExample]:
    """Return rows of an inference pack, each with its own evidence alone. Raises InputError."""
    return _as_verdicts(pack_examples(pack, share, seed))


def contrast_examples(pack: Path, share: float, seed: int) -> list[VerdictExample]:
    """Return rows of a pack in pairs that differ in one place, and made passages with figures: `share` of all.

    Raises InputError, MissingExtra.
    """
    return _as_verdicts([*contrast_pairs(pack, share, seed), *figure_examples(round(share * FIGURES), seed)])


def scenario_examples(folder: Path, seed: int) -> list[VerdictExample]:
    """Return scenarios to train on: among passages with each label, and passages alone. Raises InputError."""
    together = scenario_claims(folder, seed, held_out=False)
    return met_examples([*together, *single_passages(folder, seed, held_out=False)])


def contrary_examples(folder: Path, seed: int) -> list[VerdictExample]:
    """Return contrary claims to train on: each page alone, and among others. Raises InputError."""
    return met_examples([*contrary_passages(folder, held_out=False), *contrary_claims(folder, seed, held_out=False)])


def held_out_contrast(pack: Path) -> list[VerdictExample]:
    """Return the same of held-out claims and about other things. Raises InputError, MissingExtra."""
    return _as_verdicts([*held_out_pairs(pack), *held_out_figures(HELD_OUT_FIGURES)])


def _as_verdicts(examples: Sequence[EntailmentExample]) -> list[VerdictExample]:
    return [VerdictExample(one.text, _OF_LABEL[one.label]) for one in examples]


def published_examples(claims: Sequence[Claim]) -> list[VerdictExample]:
    """One for each answer, by the published recipe."""
    return [
        VerdictExample(joined(claim.claim, QAPair(question.question, _published_answer(answer))), label)
        for claim in claims
        if claim.label is not None and claim.label is not Verdict.CONFLICTING
        for question, answer in _answers(claim)
        for label in [Verdict.NOT_ENOUGH_EVIDENCE if answer.answer_type is AnswerType.UNANSWERABLE else claim.label]
    ]


def _answers(claim: Claim) -> list[tuple[Question, Answer]]:
    return [(question, answer) for question in claim.questions for answer in question.answers]


def published_pairs(claim: Claim) -> Pairs:
    """What the published recipe is chosen by: an answer each, in the words that it is trained on."""
    return [(question.question, _published_answer(answer)) for question, answer in _answers(claim)]


def _published_answer(answer: Answer) -> str:
    explained = answer.answer_type is AnswerType.BOOLEAN and answer.boolean_explanation
    return f"{answer.answer}, because {explained.lower().strip()}" if explained else answer.answer


def class_weights(examples: Sequence[VerdictExample], exponent: float) -> list[float]:
    """How much each example counts: (mean size of a class / size of its class) ** exponent, 1 in the mean."""
    sizes = {verdict: sum(example.label is verdict for example in examples) for verdict in VERDICTS}
    weights = [sizes[example.label] ** -exponent for example in examples]
    mean = sum(weights) / max(1, len(weights))
    return [weight / mean for weight in weights]


def _mixture(
    claim: Claim, label: Verdict, neighbours: "_Neighbours", noise: Noise, draw: Random
) -> tuple[Pairs, Verdict]:
    loses = draw.random() < noise.lose
    kept = [pair for pair in gold_pairs(claim) if draw.random() < noise.keep and not loses][:MAX_PAIRS]
    foreign = neighbours.of(claim)
    wanted = draw.randint(0 if kept else 1, max(1, noise.foreign))
    added = draw.sample(foreign, min(len(foreign), wanted, MAX_PAIRS - len(kept)))
    honest = draw.random() < noise.honest
    return [*kept, *added], Verdict.NOT_ENOUGH_EVIDENCE if honest and not kept else label


def _disordered(claim: str, pairs: Pairs, noise: Noise, draw: Random) -> Pairs:
    """The pairs in another order, some without questions that say anything."""
    shuffled = draw.sample(pairs, len(pairs))
    if draw.random() >= noise.blank:
        return shuffled
    question = draw.choice(["", claim_as_its_question(claim)])
    return [(question, answer) for _, answer in shuffled]


class _Neighbours:
    """The gold pairs of all claims, found by their likeness to another claim."""

    def __init__(self, claims: Sequence[Claim]) -> None:
        self._pool = [(same(claim.claim), pair) for claim in claims for pair in gold_pairs(claim)]
        self._index = BM25.of(numbered_words([f"{question} {answer}" for _, (question, answer) in self._pool]))

    def of(self, claim: Claim) -> Pairs:
        own = len(claim.questions) + sum(len(question.answers) for question in claim.questions)
        ranked = (self._pool[place] for place in self._index.top(words(claim.claim), NEAR + own))
        return [pair for text, pair in ranked if text != same(claim.claim)][:NEAR]
