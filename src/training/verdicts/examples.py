"""The training examples of a verdict model: claims with annotated, mixed and retrieved evidence.

Gold evidence is clean, but the evidence that a pipeline finds is not. Each claim therefore has further examples besides
the one with its gold pairs. Mixtures combine some of its gold pairs with pairs of the most similar other claims (BM25).
Other examples have the evidence that a system retrieved for the claim. A share of the mixtures without gold pairs
becomes Not Enough Evidence. In a share of the examples the questions are dropped or replaced by one that only repeats
the claim, so that the model relies on the answers.

The published recipe (Schlichtkrull et al. 2023; its code) uses every answer alone with its claim's verdict. Claims with
conflicting evidence are left out. An answer of the type Unanswerable is Not Enough Evidence.

Limitations: texts only. `src/models/evidence_rows.py` tokenizes them.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random

import msgspec

from src.evaluation.averitec import gold_pairs
from src.evaluation.baselines import claim_as_its_question
from src.models.evidence_rows import MAX_PAIRS, Input
from src.models.veracity import joined
from src.records import VERDICTS, Answer, AnswerType, Claim, QAPair, Question, Verdict
from src.reranking.bm25 import BM25
from src.text import numbered_words, same, words
from src.training.entailment.contrast_pairs import contrast_pairs, held_out_pairs
from src.training.entailment.examples import EntailmentExample
from src.training.entailment.figures import figure_examples, held_out_figures
from src.training.entailment.pack import pack_examples
from src.training.passages.contraries import contrary_claims, contrary_passages
from src.training.passages.mixed import ClaimWithPassages
from src.training.passages.scenarios import scenario_claims, single_passages
from src.training.retrieved import Pairs

DRAWN = 5  # the most pairs of a partial copy of retrieved evidence
_OF_LABEL = (Verdict.SUPPORTED, Verdict.REFUTED, Verdict.NOT_ENOUGH_EVIDENCE)  # by the entailment model's LABELS
FIGURES, HELD_OUT_FIGURES = 3500, 60  # synthetic passages with figures
NEAR = 20  # nearest foreign pairs, from which those of a mixture are drawn


class VerdictExample(msgspec.Struct, frozen=True):
    text: Input
    label: Verdict


class Noise(msgspec.Struct, frozen=True):
    """Settings of the examples with noisy evidence.

    `mixtures`: mean number of mixtures per claim (0.25: one for every fourth claim).
    `retrieved`: examples per claim with retrieved pairs: the first has all of them, the others a few drawn pairs.
    `keep`: probability that a mixture keeps a gold pair.
    `lose`: probability that a mixture loses all gold pairs.
    `foreign`: maximum number of pairs of other claims in a mixture.
    `honest`: share of the mixtures without gold pairs that become Not Enough Evidence.
    `blank`: share of the examples whose questions are blank or repeat the claim.
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
    """Return the examples of all labeled claims with gold, mixed and retrieved evidence, in order.

    `retrieved`: each claim's retrieved pairs, by claim_id. The random choices for a claim depend only on the seed and
    the claim's text.
    """
    neighbours = _Neighbours(claims)
    examples = []
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
        examples += [
            VerdictExample((claim.claim, _disordered(claim.claim, pairs, noise, draw)), label)
            for pairs, label in variants
            if pairs
        ]
    return examples


def claim_examples(claims: Sequence[Claim]) -> list[VerdictExample]:
    """Return verdict examples of claims without their evidence, for a baseline that sees only the claim."""
    return [VerdictExample((claim.claim, []), claim.label) for claim in claims if claim.label is not None]


def met_examples(claims: Sequence[ClaimWithPassages]) -> list[VerdictExample]:
    """Convert claims with passages to verdict examples; the passages become pairs with an empty question."""
    return [VerdictExample(input_of(claim), claim.label) for claim in claims]


def input_of(claim: ClaimWithPassages) -> Input:
    """Return a verdict model's input for a claim with passages."""
    return claim.claim, [("", passage.text) for passage in claim.passages]


def single_examples(pack: Path, share: float, seed: int) -> list[VerdictExample]:
    """Return verdict examples of an inference pack, mostly single rows with their evidence.

    `share` scales the number of rows of each set. Raises InputError when a set is missing or invalid.
    """
    return _as_verdicts(pack_examples(pack, share, seed))


def contrast_examples(pack: Path, share: float, seed: int) -> list[VerdictExample]:
    """Return verdict examples: pairs of rows of a pack that differ in one place, and synthetic passages with figures.

    `share` scales the number of both.

    Raises InputError when a set is missing or invalid, MissingExtra when spaCy's model is not installed.
    """
    return _as_verdicts([*contrast_pairs(pack, share, seed), *figure_examples(round(share * FIGURES), seed)])


def scenario_examples(folder: Path, seed: int) -> list[VerdictExample]:
    """Return verdict examples of the training scenarios: claims with several passages, and with single passages.

    Raises InputError when a file is invalid.
    """
    together = scenario_claims(folder, seed, held_out=False)
    return met_examples([*together, *single_passages(folder, seed, held_out=False)])


def contrary_examples(folder: Path, seed: int) -> list[VerdictExample]:
    """Return verdict examples of the training pairs of contrary claims: each page alone, and some pages among others.

    Raises InputError when a file is invalid.
    """
    return met_examples([*contrary_passages(folder, held_out=False), *contrary_claims(folder, seed, held_out=False)])


def held_out_contrast(pack: Path) -> list[VerdictExample]:
    """Return held-out verdict examples: pairs of rows that differ in one place, and passages with figures.

    Raises InputError when a set is missing or invalid, MissingExtra when spaCy's model is not installed.
    """
    return _as_verdicts([*held_out_pairs(pack), *held_out_figures(HELD_OUT_FIGURES)])


def _as_verdicts(examples: Sequence[EntailmentExample]) -> list[VerdictExample]:
    return [VerdictExample(one.text, _OF_LABEL[one.label]) for one in examples]


def published_examples(claims: Sequence[Claim]) -> list[VerdictExample]:
    """Return one verdict example for each gold answer, by the published recipe."""
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
    """Return a claim's question-answer pairs, worded as the published recipe words them for training."""
    return [(question.question, _published_answer(answer)) for question, answer in _answers(claim)]


def _published_answer(answer: Answer) -> str:
    explained = answer.answer_type is AnswerType.BOOLEAN and answer.boolean_explanation
    return f"{answer.answer}, because {explained.lower().strip()}" if explained else answer.answer


def class_weights(examples: Sequence[VerdictExample], exponent: float) -> list[float]:
    """Return the weight of each example: (size of its class) ** -exponent, scaled to a mean of 1."""
    sizes = {verdict: sum(example.label is verdict for example in examples) for verdict in VERDICTS}
    weights = [sizes[example.label] ** -exponent for example in examples]
    mean = sum(weights) / max(1, len(weights))
    return [weight / mean for weight in weights]


def _mixture(
    claim: Claim, label: Verdict, neighbours: "_Neighbours", noise: Noise, draw: Random
) -> tuple[Pairs, Verdict]:
    """Return some gold pairs of a claim with pairs of other claims, and the label of this mixture."""
    loses = draw.random() < noise.lose
    own = [pair for pair in gold_pairs(claim) if draw.random() < noise.keep and not loses][:MAX_PAIRS]
    foreign = neighbours.of(claim)
    wanted = draw.randint(0 if own else 1, max(1, noise.foreign))
    added = draw.sample(foreign, min(len(foreign), wanted, MAX_PAIRS - len(own)))
    honest = draw.random() < noise.honest
    return [*own, *added], Verdict.NOT_ENOUGH_EVIDENCE if honest and not own else label


def _disordered(claim: str, pairs: Pairs, noise: Noise, draw: Random) -> Pairs:
    """Return the pairs in random order.

    With probability `noise.blank`, their questions are replaced: all are empty, or all repeat the claim.
    """
    shuffled = draw.sample(pairs, len(pairs))
    if draw.random() >= noise.blank:
        return shuffled
    question = draw.choice(["", claim_as_its_question(claim)])
    return [(question, answer) for _, answer in shuffled]


class _Neighbours:
    """BM25 index of the gold pairs of all claims; `of` returns the pairs of other claims most similar to a claim."""

    def __init__(self, claims: Sequence[Claim]) -> None:
        self._pool = [(same(claim.claim), pair) for claim in claims for pair in gold_pairs(claim)]
        self._index = BM25.of(numbered_words([f"{question} {answer}" for _, (question, answer) in self._pool]))

    def of(self, claim: Claim) -> Pairs:
        own = len(claim.questions) + sum(len(question.answers) for question in claim.questions)
        ranked = (self._pool[place] for place in self._index.top(words(claim.claim), NEAR + own))
        return [pair for text, pair in ranked if text != same(claim.claim)][:NEAR]
