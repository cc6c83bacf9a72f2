"""Prints from which probability a passage is a reason, on held-out claims.

    python -m bench.reason_thresholds [--entailment FOLDER]

The claims are those that the stacked verdict is fitted on. A claim is decided at a threshold where some passage entails
or contradicts it with at least that probability and none does the contrary; it is right where its label is the verdict
of that side. Thresholds at which at least `ENOUGH` of the decided claims are right are marked; `SURE` of
`src/explanation/reasons.py` is to be chosen among them.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from bench.entailment_sets import PACK
from bench.scoreboard.published import AVERITEC
from src.records import Side, Verdict
from src.runner.arguments import StepParser, step
from src.stance.reader import READER, load_stance_reader
from src.stance.records import SIDE_OF, Stance
from src.training.as_met.held_out import held_out_claims

THRESHOLDS = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
ENOUGH = 0.85
RETRIEVED = AVERITEC / "peers/eibakke_baseline_train1000.csv.gz"
SCENARIOS = Path("data_store/scenarios")
SEED = 0


class Read(NamedTuple):
    """A claim of one kind, its label and what its passages do to it."""

    part: str
    label: Verdict
    stances: Sequence[Stance]


@step
def main(argv: Sequence[str] | None = None) -> int:
    flags = StepParser(prog="python -m bench.reason_thresholds", description=(__doc__ or "").split("\n\n")[0])
    flags.add_argument("--entailment", type=Path, default=READER, help="folder of the model that reads stances")
    read = _read(flags.parse_args(argv))
    for part in ["all", *dict.fromkeys(one.part for one in read)]:
        own = [one for one in read if part in ("all", one.part)]
        print(f"{part}, {len(own)} claims: threshold, decided, right")
        for threshold in THRESHOLDS:
            decided = [(one.label, side) for one in own if (side := side_at(one.stances, threshold))]
            right = sum(SIDE_OF.get(label) is side for label, side in decided)
            is_enough = right >= ENOUGH * len(decided) > 0
            print(f"{threshold:8.2f} {len(decided):6} {right / max(1, len(decided)):.3f}{' enough' * is_enough}")
    return 0


def side_at(stances: Sequence[Stance], threshold: float) -> Side | None:
    """Return the only side on which a passage is with at least the threshold; repetitions are on none."""
    said = [one for one in stances if one.side is not Side.REPEATS]
    is_for = any(one.entail >= threshold for one in said)
    is_against = any(one.contradict >= threshold for one in said)
    return None if is_for is is_against else Side.FOR if is_for else Side.AGAINST


def _read(args: argparse.Namespace) -> list[Read]:
    reader = load_stance_reader(args.entailment)
    train, dev = AVERITEC / "train.json", AVERITEC / "dev.json"
    claims = held_out_claims(train, dev, RETRIEVED, PACK, SCENARIOS, reader, SEED)
    stances = reader.stances([(one.claim, one.passages) for one in claims])
    return [Read(one.part, one.label, own) for one, own in zip(claims, stances, strict=True)]


if __name__ == "__main__":
    raise SystemExit(main())
