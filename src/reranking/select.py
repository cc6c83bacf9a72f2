"""Criterion for selecting evidence: the values of --select."""

from enum import StrEnum


class Select(StrEnum):
    """Criterion for selecting evidence: its stance toward the claim, or its likeness to gold evidence (benchmarks)."""

    STANCE = "stance"
    LIKENESS = "likeness"


SELECT_HELP = (
    "stance: pairs that decide, of both sides and several sites, for people; likeness: pairs that are like gold "
    "evidence, for benchmark files"
)
