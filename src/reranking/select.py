"""What the evidence of a claim is chosen for: the values of --select."""

from enum import StrEnum


class Select(StrEnum):
    """What evidence is chosen for: what it decides, or likeness to gold evidence (as in benchmark files)."""

    STANCE = "stance"
    LIKENESS = "likeness"


SELECT_HELP = (
    "stance: pairs that decide, of both sides and several sites, for people; likeness: pairs that are like gold "
    "evidence, for benchmark files"
)
