"""What a label says of a claim, as the clause an explanation ends in.

AVeriTeC's four verdicts, PolitiHop's three labels and the two of HOVER and FEVEROUS-S; that not enough evidence leaves
the claim open, and conflicting evidence names both sides (Schlichtkrull et al., AVeriTeC, NeurIPS 2023).
"""

from src.errors import InputError
from src.records import Verdict

_UNKNOWN = "so what the claim says could not be established"
CONCLUSIONS: dict[str, str] = {
    Verdict.SUPPORTED: "so the claim is supported",
    Verdict.REFUTED: "so the claim is refuted",
    Verdict.NOT_ENOUGH_EVIDENCE: f"{_UNKNOWN}: there is not enough evidence",
    Verdict.CONFLICTING: "so the evidence is conflicting, or the claim picks only a part of it",
    "true": "so the claim is true",
    "half-true": "so the claim is half true",
    "false": "so the claim is false",
    "supports": "so the claim is supported",
    "refutes": "so the claim is refuted",
}


def conclusion(label: str) -> str:
    """Raises InputError for a label of none of the data sets."""
    try:
        return CONCLUSIONS[label]
    except KeyError:
        raise InputError(f"{label!r} is none of {', '.join(CONCLUSIONS)}") from None


def clause(label: str) -> str:
    """The conclusion without its `so`: `the claim is supported`. Raises InputError."""
    return conclusion(label).removeprefix("so ")


def closing(label: str) -> str:
    """The conclusion as a sentence of its own. Raises InputError."""
    return f"{conclusion(label).capitalize()}."
