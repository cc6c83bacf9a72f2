"""Types of errors in explanations: the nine types of Kim et al. 2024, and a tenth type of this project.

Intrinsic errors misstate what the source says; extrinsic errors add what it does not say. The tenth type is an error of
a whole justification: its sentences may all be true and copied, but none bears on the claim.
"""

import re
from enum import StrEnum


class ErrorType(StrEnum):
    """Type of a finding. Numbers and dates count as entities; `NO_BEARING` is an error of a whole justification."""

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
        """Return the name in words, such as `intrinsic noun phrase`."""
        return _NO_BEARING if self is ErrorType.NO_BEARING else self.name.lower().replace("_", " ")


_NO_BEARING = "reason does not bear on the claim"
MADR_TYPES = tuple(kind for kind in ErrorType if kind is not ErrorType.NO_BEARING)
"""The nine types that debating agents, the tagger and annotators distinguish."""


def error_type(text: str) -> ErrorType | None:
    """Return which of the nine types the text names, by its two letters or its full name, in any spelling; else None.

    The paper's `Intrinsic Entity-Related Error` is recognized, too.
    """
    plain = re.sub(r"[^a-z]+", " ", text.lower()).strip()
    plain = re.sub(r"( related)?( errors?)?$", "", plain).replace("generalization", "generalisation")
    spaced = plain.replace("over generalisation", "overgeneralisation")
    return next((one for one in MADR_TYPES if spaced in (one.value.lower(), one.full_name)), None)
