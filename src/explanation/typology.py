"""The nine ways in which an explanation can be unfaithful to its evidence (Kim et al. 2024, section 3).

Intrinsic errors misstate what the source says, extrinsic ones say what it does not.
"""

import re
from enum import StrEnum


class ErrorType(StrEnum):
    """Numbers and dates count as entities."""

    INTRINSIC_ENTITY = "IE"
    EXTRINSIC_ENTITY = "EE"
    INTRINSIC_EVENT = "IV"
    EXTRINSIC_EVENT = "EV"
    INTRINSIC_NOUN_PHRASE = "IN"
    EXTRINSIC_NOUN_PHRASE = "EN"
    REASONING_COHERENCE = "RC"
    OVERGENERALISATION = "OG"
    IRRELEVANT_EVIDENCE = "IR"

    @property
    def full_name(self) -> str:
        """Such as `intrinsic noun phrase`."""
        return self.name.lower().replace("_", " ")


def error_type(text: str) -> ErrorType | None:
    """A type by its two letters or its full name, however it is written, the paper's `Intrinsic Entity-Related Error`
    too; None for anything else."""
    plain = re.sub(r"[^a-z]+", " ", text.lower()).strip()
    plain = re.sub(r"( related)?( errors?)?$", "", plain).replace("generalization", "generalisation")
    spaced = plain.replace("over generalisation", "overgeneralisation")
    return next((one for one in ErrorType if spaced in (one.value.lower(), one.full_name)), None)
