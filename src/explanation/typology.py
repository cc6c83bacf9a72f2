"""The kinds of findings: nine ways to be unfaithful to the evidence (typology of Kim et al. 2024), and a tenth.

Intrinsic errors misstate what the source says, extrinsic ones say what it does not. The tenth kind is no error of a
sentence: all of them may be true and copied, and none bears on the claim.
"""

import re
from enum import StrEnum


class ErrorType(StrEnum):
    """Numbers and dates count as entities. `NO_BEARING` is of a justification as a whole."""

    INTRINSIC_ENTITY = "IE"
    EXTRINSIC_ENTITY = "EE"
    INTRINSIC_EVENT = "IV"
    EXTRINSIC_EVENT = "EV"
    INTRINSIC_NOUN_PHRASE = "IN"
    EXTRINSIC_NOUN_PHRASE = "EN"
    REASONING_COHERENCE = "RC"
    OVERGENERALISATION = "OG"
    IRRELEVANT_EVIDENCE = "IR"
    NO_BEARING = "NB"

    @property
    def full_name(self) -> str:
        """Such as `intrinsic noun phrase`."""
        return _NO_BEARING if self is ErrorType.NO_BEARING else self.name.lower().replace("_", " ")


_NO_BEARING = "reason does not bear on the claim"
MADR_TYPES = tuple(kind for kind in ErrorType if kind is not ErrorType.NO_BEARING)
"""The nine that agents of a debate, the tagger and people who rate tell apart."""


def error_type(text: str) -> ErrorType | None:
    """One of the nine by its two letters or its full name, however it is written; None for anything else.

    The paper's `Intrinsic Entity-Related Error` is one, too."""
    plain = re.sub(r"[^a-z]+", " ", text.lower()).strip()
    plain = re.sub(r"( related)?( errors?)?$", "", plain).replace("generalization", "generalisation")
    spaced = plain.replace("over generalisation", "overgeneralisation")
    return next((one for one in MADR_TYPES if spaced in (one.value.lower(), one.full_name)), None)
