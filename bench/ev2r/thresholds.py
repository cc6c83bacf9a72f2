"""Thresholds of the small judge of Ev2R, on claims of AVeriTeC's train, without people's ratings.

    python -m bench.ev2r.thresholds [--claims 60] [--json FILE]

Two rates are computed for each threshold of entailment: the share of gold facts that the claim's own prediction
supports, and the share that the prediction for another claim supports, which should be near 0. The predictions are the
FEVER-8 baseline's on the first 1,000 claims of train. The threshold of questions is compared with the similarity of
different gold questions of one claim, which should not count as the same.

Limitations: the entailment model was trained on most of these claims with their evidence, though not on gold facts as
hypotheses; it may find less on other claims.
"""

import argparse
import random
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from bench.command import StepParser, command, positive
from bench.scoreboard.published import AVERITEC, peer
from src.atomic_file import write_whole
from src.ev2r.entailment_judge import NEAREST, facts
from src.ev2r.texts import ClaimTexts, Inputs, claim_texts
from src.evaluation.tables import Section, as_markdown
from src.models.encoder import SentenceEncoder, load_encoder
from src.models.entailment import Entailment, Premise, load_entailment
from src.prediction.prediction_files import read_guesses
from src.stance.reader import READER
from src.store import read_claims

PREDICTIONS, TRAIN_CLAIMS = "eibakke_baseline_train1000.csv.gz", 1000
Floats = NDArray[np.float64]
SEED = 0
NUMBERS = (1, 2, 3, 10)  # pairs that a fact is read with
ENTAILED = (0.3, 0.35, 0.4, 0.45, 0.5, 0.6)
SAME = (0.7, 0.75, 0.8, 0.84, 0.9)
QUESTION_CLAIMS = 300


class FactRow(msgspec.Struct, frozen=True):
    """Share of gold facts that are supported by the claim's own prediction and by that for another claim."""

    nearest: int
    threshold: float
    own: float
    other: float


class QuestionRow(msgspec.Struct, frozen=True):
    """Share of gold questions with such a similar predicted question, and of pairs of different gold questions."""

    threshold: float
    own: float
    different: float


class Thresholds(msgspec.Struct, frozen=True):
    """Result; `claims` and `facts` are those of `by_facts`, `questions` and `pairs` those of `by_questions`."""

    claims: int
    facts: int
    by_facts: list[FactRow]
    questions: int
    pairs: int
    by_questions: list[QuestionRow]


@command
def main(argv: Sequence[str] | None = None) -> int:
    flags = StepParser(prog="python -m bench.ev2r.thresholds", description=(__doc__ or "").split("\n\n")[0])
    flags.add_argument("--claims", type=positive, default=60, help="claims whose facts are read")
    flags.add_argument("--json", type=Path, help="where to write the rates")
    args = flags.parse_args(argv)
    result = measured(args)
    print(as_markdown(tables(result)))
    if args.json:
        write_whole(args.json, msgspec.json.format(msgspec.json.encode(result), indent=1) + b"\n")
    return 0


def measured(args: argparse.Namespace) -> Thresholds:
    """Return the rates. Raises InputError, ModelError."""
    chosen = random.Random(SEED).sample(list(_claims().values()), QUESTION_CLAIMS)
    encoder = load_encoder()
    read = chosen[: args.claims]
    others = [*read[1:], *read[:1]]
    model = load_entailment(READER)
    own = np.concatenate([entailed(one, one, model, encoder) for one in read])
    other = np.concatenate([entailed(one, its, model, encoder) for one, its in zip(read, others, strict=True)])
    by_facts = [
        FactRow(number, threshold, _supported(own, number, threshold), _supported(other, number, threshold))
        for number in NUMBERS
        for threshold in ENTAILED
    ]
    nearest, different = question_likeness(chosen, encoder)
    by_questions = [
        QuestionRow(threshold, float((nearest >= threshold).mean()), float((different >= threshold).mean()))
        for threshold in SAME
    ]
    return Thresholds(len(read), len(own), by_facts, len(nearest), len(different), by_questions)


def _supported(entailment: Floats, nearest: int, threshold: float) -> float:
    """Return the share of facts whose probability of entailment [facts, pairs] reaches the threshold in the first
    `nearest` pairs.
    """
    return float((entailment[:, :nearest].max(axis=1) >= threshold).mean())


def _claims() -> dict[int, ClaimTexts]:
    claims = {claim.claim_id: claim for claim in read_claims(AVERITEC / "train.json")[:TRAIN_CLAIMS]}
    guesses = read_guesses(peer(PREDICTIONS))
    return {one.claim_id: claim_texts(claims[one.claim_id], one, Inputs.HUGGING_FACE) for one in guesses}


def entailed(claim: ClaimTexts, other: ClaimTexts, model: Entailment, encoder: SentenceEncoder) -> Floats:
    """Return the probability of entailment of each gold fact of `claim` [facts, 10] under each predicted pair of
    `other`, the most similar pair first; 0 where there are fewer pairs.
    """
    gold, pairs = facts(claim.reference), list(other.predicted)
    likeness = encoder.encode(gold) @ encoder.encode([pair.text for pair in pairs]).T
    order = np.argsort(-likeness, axis=1, kind="stable")[:, : max(NUMBERS)]
    premises = [Premise([pairs[at]], fact) for fact, row in zip(gold, order, strict=True) for at in row]
    found = np.array([one.entail for one in model.scores(premises)]).reshape(order.shape)
    return np.pad(found, ((0, 0), (0, max(NUMBERS) - order.shape[1])))


def question_likeness(claims: Sequence[ClaimTexts], encoder: SentenceEncoder) -> tuple[Floats, Floats]:
    """Return the similarity of each gold question to the nearest predicted one, and of each pair of gold questions."""
    nearest, different = list[float](), list[float]()
    for claim in claims:
        gold = encoder.encode(claim.reference_questions)
        nearest += (gold @ encoder.encode(claim.predicted_questions).T).max(axis=1).tolist()
        different += (gold @ gold.T)[np.triu_indices(len(gold), 1)].tolist()
    return np.array(nearest), np.array(different)


def tables(result: Thresholds) -> list[Section]:
    """Return both tables."""
    rows = [["pairs read", "entailment >=", "own prediction", "another claim's"]]
    rows += [[str(one.nearest), f"{one.threshold}", f"{one.own:.3f}", f"{one.other:.3f}"] for one in result.by_facts]
    asked = [["similarity >=", "own prediction", "different gold questions"]]
    asked += [[f"{one.threshold}", f"{one.own:.3f}", f"{one.different:.3f}"] for one in result.by_questions]
    return [
        Section(f"Gold facts supported, {result.facts} facts of {result.claims} claims; used: {NEAREST} pairs", rows),
        Section(f"Gold questions found, {result.questions} questions", asked),
    ]


if __name__ == "__main__":
    raise SystemExit(main())
