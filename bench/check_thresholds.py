"""Chooses the thresholds of `src/explanation/checks/tagged.py`, on claims that the tagger has not learned from.

    python -m bench.check_thresholds --planted P.jsonl --clean gold=C.jsonl:0.11 --clean politihop=R.jsonl:0.01

Thresholds fall one at a time, where most planted errors are found for the clean explanations that are flagged, until a
share of clean explanations (`:0.11`) would be exceeded. Printed is the curve for shares of that budget, too.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from src.explanation.checks.checker import Checker, checker
from src.explanation.checks.flag import SHIPPED
from src.explanation.checks.tagged import Thresholds
from src.explanation.claims_file import read_claims_to_explain
from src.explanation.planting.kinds import Kind
from src.explanation.planting.recall import as_explained
from src.explanation.planting.records import PlantedClaim
from src.explanation.records import ExplainedClaim, Finding
from src.store import read_by_claim

TARGETS = {
    Kind.EXTRINSIC_ENTITY: 0.97, Kind.EXTRINSIC_NUMBER: 0.95, Kind.OVERGENERALISATION: 0.99,
    Kind.IRRELEVANT_EVIDENCE: 0.97, Kind.FLIPPED_CONCLUSION: 0.9, Kind.EXTRINSIC_EVENT: 0.6,
    Kind.EXTRINSIC_NOUN_PHRASE: 0.6, Kind.INTRINSIC_ENTITY: 0.7, Kind.INTRINSIC_NUMBER: 0.7, Kind.INTRINSIC_EVENT: 0.6,
    Kind.INTRINSIC_NOUN_PHRASE: 0.4,
}  # fmt: skip
DOUBTS = (0.2, 0.4, 0.6, 0.7, 0.8, 0.9)
STEPS = (0.99, 0.98, 0.97, 0.95, 0.93, 0.9, 0.87, 0.84, 0.8, 0.75, 0.7, 0.65, 0.6, 0.55, 0.5, 0.45, 0.4, 0.35, 0.3)
LEAPS = (1, 3, 6, 10, 14)  # a threshold may fall by several steps at once: the first few may find nothing
OF_TAGGER = [name for name in Thresholds.__struct_fields__ if name != "doubt"]


class Clean(NamedTuple):
    """Explanations without errors, and the share of them that may be flagged."""

    name: str
    claims: list[ExplainedClaim]
    most: float


class Outcome(NamedTuple):
    """By kind the share that is found, by set the share that is flagged; `worth` is the mean share of the targets."""

    recall: dict[Kind, float]
    flagged: dict[str, float]

    @property
    def worth(self) -> float:
        return float(np.mean([min(1.0, found / TARGETS[kind]) + 0.1 * found for kind, found in self.recall.items()]))


class Bench:
    """Tags everything once; thresholds are tried on what was kept."""

    def __init__(self, planted: Sequence[PlantedClaim], clean: Sequence[Clean], by: Checker) -> None:
        self._planted, self._clean, self._by = planted, clean, by
        self._copies = by.prepared([as_explained(one, one.explanation) for one in planted])
        self._twins = by.prepared([as_explained(one, one.twin) for one in planted])
        self._sets = [by.prepared(one.claims) for one in clean]

    def outcome(self, thresholds: Thresholds) -> Outcome:
        by = self._by.with_thresholds(thresholds)
        copies, twins = by.findings(self._copies), by.findings(self._twins)
        hits: dict[Kind, list[bool]] = {}
        for one, found, its in zip(self._planted, copies, twins, strict=True):
            hits.setdefault(one.planted.kind, []).append(_is_found(one, found, its))
        flagged = {
            one.name: float(np.mean([bool(found) for found in by.findings(prepared)]))
            for one, prepared in zip(self._clean, self._sets, strict=True)
        }
        return Outcome({kind: float(np.mean(them)) for kind, them in hits.items()}, flagged)


def _is_found(one: PlantedClaim, found: Sequence[Finding], of_twin: Sequence[Finding]) -> bool:
    at = one.planted.sentence
    known = {(its.type, its.span) for its in of_twin if its.sentence == at}
    return any(
        its.sentence == at and its.type is one.planted.type and (its.type, its.span) not in known for its in found
    )


def choose(bench: Bench, clean: Sequence[Clean], share: float) -> tuple[Thresholds, Outcome]:
    """The best of every doubt. `share` is the part of the budgets that may be used."""
    tried = [_lowered(bench, clean, share, doubt) for doubt in DOUBTS]
    return max(tried, key=lambda one: one[1].worth)


def _lowered(bench: Bench, clean: Sequence[Clean], share: float, doubt: float) -> tuple[Thresholds, Outcome]:
    places = dict.fromkeys(OF_TAGGER, -1)
    best = _of(places, doubt)
    known = bench.outcome(best)
    while True:
        options = []
        for name in OF_TAGGER:
            for further in LEAPS:
                if places[name] + further < len(STEPS):
                    tried = _of({**places, name: places[name] + further}, doubt)
                    found = bench.outcome(tried)
                    if all(found.flagged[one.name] <= share * one.most for one in clean):
                        cost = sum((found.flagged[one.name] - known.flagged[one.name]) / one.most for one in clean)
                        options.append(
                            ((found.worth - known.worth) / (cost + 0.003 * further), name, further, tried, found)
                        )
        if not options or max(options, key=lambda one: one[0])[0] <= 0:
            return best, known
        _, name, further, best, known = max(options, key=lambda one: one[0])
        places[name] += further


def _of(places: dict[str, int], doubt: float) -> Thresholds:
    return Thresholds(**{name: STEPS[at] if at >= 0 else 1.01 for name, at in places.items()}, doubt=doubt)


def main(argv: Sequence[str] | None = None) -> int:
    flags = argparse.ArgumentParser(description=__doc__)
    flags.add_argument("--planted", type=Path, nargs="+", required=True)
    flags.add_argument("--clean", action="append", required=True, metavar="NAME=FILE:MOST")
    flags.add_argument("--tagger", type=Path, default=SHIPPED)
    flags.add_argument("--shares", type=float, nargs="+", default=[1.0, 0.75, 0.5, 0.25])
    args = flags.parse_args(argv)
    planted = [one for path in args.planted for one in read_by_claim(path, PlantedClaim)]
    clean = [_clean(text) for text in args.clean]
    bench = Bench(planted, clean, checker(args.tagger))
    for share in args.shares:
        thresholds, found = choose(bench, clean, share)
        print(f"\n{share:.2f} of the budget, worth {found.worth:.4f}: {msgspec.to_builtins(thresholds)}")
        print("  flagged: " + ", ".join(f"{name} {value:.4f}" for name, value in found.flagged.items()))
        print("  found: " + ", ".join(f"{kind} {value:.3f}" for kind, value in found.recall.items()), flush=True)
    return 0


def _clean(text: str) -> Clean:
    name, _, rest = text.partition("=")
    path, _, most = rest.rpartition(":")
    return Clean(name, [one for one in read_claims_to_explain(Path(path)) if one.explanation], float(most))


if __name__ == "__main__":
    raise SystemExit(main())
