"""Records of synthetic errors in files: a copy with one error, the error, and the twin."""

import msgspec

from src.explanation.synthetic_errors.kinds import Kind
from src.explanation.typology import ErrorType
from src.records import ClaimId, QAPair


class Error(msgspec.Struct, frozen=True):
    """A planted error.

    `sentence` counts from 0 in the copy. `span` is the new text, from character `start` of the copy. `was` is the old
    text, empty if text was only inserted.
    """

    kind: Kind
    type: ErrorType
    sentence: int
    start: int
    span: str
    was: str = ""


class PlantedClaim(msgspec.Struct, omit_defaults=True):
    """A copy with one error; `src.explanation.check_explanations` can read it, too. `of` is the clean claim's
    claim_id.
    """

    claim_id: ClaimId
    of: ClaimId
    claim: str
    label: str
    explanation: str
    twin: str
    planted: Error
    evidence: list[QAPair] = []
    source: str = ""
    claim_date: str = ""
    speaker: str = ""
