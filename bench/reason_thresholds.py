"""Prints from which probability a passage is a reason, on held-out claims.

    python -m bench.reason_thresholds [--entailment FOLDER] [--json FILE]

The claims are those that the stacked verdict is fitted on. A claim is decided at a threshold where some passage entails
or contradicts it with at least that probability and none does the contrary; it is right where its label is the verdict
of that side. Thresholds at which at least `ENOUGH` of the decided claims are right are marked; `SURE` of
`src/explanation/reasons.py` is to be chosen among them.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from bench.command import StepParser, command
from bench.entailment_sets import PACK
from bench.scoreboard.published import AVERITEC
from src.atomic_file import write_whole
from src.records import Side, Verdict
from src.stance.reader import READER, load_stance_reader
from src.stance.records import SIDE_OF, Stance
from src.training.passages.held_out import held_out_claims
from src.training.recipe import ClaimFiles

THRESHOLDS = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
ENOUGH = 0.85
RETRIEVED = AVERITEC / "peers/eibakke_baseline_train1000.csv.gz"
SCENARIOS = Path("data_store/scenarios")
SEED = 0


class Point(msgspec.Struct, frozen=True):
    """Number of claims that are decided at a threshold, and number of these that are decided correctly."""

    threshold: float
    decided: int
    right: int

    @property
    def is_enough(self) -> bool:
        return self.right >= ENOUGH * self.decided > 0


class Curve(msgspec.Struct, frozen=True):
    """Results of all thresholds on the claims of one part (a kind of claims), or on all claims."""

    part: str
    claims: int
    points: list[Point]


class Read(NamedTuple):
    """A claim's part, its label and the stance of each of its passages."""

    part: str
    label: Verdict
    stances: Sequence[Stance]


@command
def main(argv: Sequence[str] | None = None) -> int:
    flags = StepParser(prog="python -m bench.reason_thresholds", description=(__doc__ or "").split("\n\n")[0])
    flags.add_argument("--entailment", type=Path, default=READER, help="folder of the model that reads stances")
    flags.add_argument("--json", type=Path, help="where to write the curves")
    args = flags.parse_args(argv)
    read = _read(args)
    parts = dict.fromkeys(one.part for one in read)
    curves = [_curve("all", read), *(_curve(part, [one for one in read if one.part == part]) for part in parts)]
    print("\n".join(line for curve in curves for line in _lines(curve)))
    if args.json:
        write_whole(args.json, msgspec.json.format(msgspec.json.encode(curves), indent=2) + b"\n")
    return 0


def _curve(part: str, own: Sequence[Read]) -> Curve:
    return Curve(part, len(own), [_point(own, threshold) for threshold in THRESHOLDS])


def _point(own: Sequence[Read], threshold: float) -> Point:
    decided = [(one.label, side) for one in own if (side := side_at(one.stances, threshold))]
    return Point(threshold, len(decided), sum(SIDE_OF.get(label) is side for label, side in decided))


def _lines(curve: Curve) -> Iterator[str]:
    yield f"{curve.part}, {curve.claims} claims: threshold, decided, right"
    for one in curve.points:
        share = one.right / max(1, one.decided)
        yield f"{one.threshold:8.2f} {one.decided:6} {share:.3f}{' enough' * one.is_enough}"


def side_at(stances: Sequence[Stance], threshold: float) -> Side | None:
    """Return the only side (for or against) that some passage takes with at least the threshold as probability.

    None if no side is taken, or both. Passages that only repeat the claim are left out.
    """
    decisive = [one for one in stances if one.side is not Side.REPEATS]
    is_for = any(one.entail >= threshold for one in decisive)
    is_against = any(one.contradict >= threshold for one in decisive)
    return None if is_for is is_against else Side.FOR if is_for else Side.AGAINST


def _read(args: argparse.Namespace) -> list[Read]:
    reader = load_stance_reader(args.entailment)
    train, dev = AVERITEC / "train.json", AVERITEC / "dev.json"
    claims = held_out_claims(ClaimFiles(train, dev), RETRIEVED, PACK, SCENARIOS, reader, SEED)
    stances = reader.stances([(one.claim, one.passages) for one in claims])
    return [Read(one.part, one.label, own) for one, own in zip(claims, stances, strict=True)]


if __name__ == "__main__":
    raise SystemExit(main())
