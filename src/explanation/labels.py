"""The conclusion that belongs to each label, as the last clause of an explanation.

Covers AVeriTeC's four verdicts, PolitiHop's three labels and the two labels of HOVER and FEVEROUS-S. Not Enough
Evidence leaves the claim undecided; Conflicting Evidence names both sides (Schlichtkrull et al., AVeriTeC, NeurIPS
2023).
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
    """Return the conclusion that belongs to the label, such as `so the claim is supported`.

    Raises InputError if the label is unknown.
    """
    try:
        return CONCLUSIONS[label]
    except KeyError:
        raise InputError(f"{label!r} is none of {', '.join(CONCLUSIONS)}") from None


def clause(label: str) -> str:
    """Return the label's conclusion without its `so`: `the claim is supported`.

    Raises InputError if the label is unknown.
    """
    return conclusion(label).removeprefix("so ")


def closing(label: str) -> str:
    """Return the label's conclusion as a sentence: `So the claim is supported.`

    Raises InputError if the label is unknown.
    """
    return f"{conclusion(label).capitalize()}."
