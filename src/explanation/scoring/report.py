"""Report on the explanations of several methods, assembled from all scores."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from src.explanation.checks.checker import Checker
from src.explanation.records import ExplainedClaim, Item
from src.explanation.scoring.cost import cost
from src.explanation.scoring.findings import findings
from src.explanation.scoring.human import Ratings, agreement
from src.explanation.scoring.judge_records import GEval
from src.explanation.scoring.methods import Explanations
from src.explanation.scoring.records import CheckedClaim, Findings, Human, Method, Report

FINDINGS = "findings, negated"


def report(
    methods: Sequence[Explanations], shared: Sequence[Sequence[ExplainedClaim]], checker: Checker, seed: int
) -> Report:
    """Return the parts that need only the explanations; `shared` are those of the same claims, by method."""
    told = [
        Method(one.name, str(one.path), len(one.claims), len(one.claims) - len(one.explained), cost(one.path, claims))
        for one, claims in zip(methods, shared, strict=True)
    ]
    return Report(told, [claim.claim_id for claim in shared[0]], seed, findings(shared, checker, seed))


def with_people(found: Report, path: Path, ratings: Ratings) -> Human:
    """Return the agreement of the report's metrics with people's ratings."""
    names = [one.name for one in found.methods]
    metrics = {**_of_judge(found.geval, names), FINDINGS: _of_checks(found.findings, names)}
    return agreement(path, ratings, names, metrics, found.seed)


def _of_judge(geval: GEval | None, names: Sequence[str]) -> Mapping[str, Mapping[Item, float]]:
    return {
        f"G-Eval, {one.protocol}": {
            (name, claim.claim_id): claim.score
            for name, rating in zip(names, one.methods, strict=True)
            for claim in rating.claims
            if claim.score is not None
        }
        for one in (geval.protocols if geval is not None else [])
    }


def _of_checks(found: Sequence[Findings], names: Sequence[str]) -> Mapping[Item, float]:
    return {
        (name, claim.claim_id): _negated(claim)
        for name, one in zip(names, found, strict=True)
        for claim in one.claims
    }  # fmt: skip


def _negated(claim: CheckedClaim) -> float:
    return -float(len(claim.explanation.types))
