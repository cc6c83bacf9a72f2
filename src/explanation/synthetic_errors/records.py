"""What planting leaves in files: a copy with one error, what the error is, and its twin."""

import msgspec

from src.explanation.synthetic_errors.kinds import Kind
from src.explanation.typology import ErrorType
from src.records import ClaimId, QAPair


class Error(msgspec.Struct, frozen=True):
    """`sentence` counts from 0 in the copy; `span` is what stands there now, from character `start` of the copy, and
    `was` what stood there before, empty where something was put in.
    """

    kind: Kind
    type: ErrorType
    sentence: int
    start: int
    span: str
    was: str = ""


class PlantedClaim(msgspec.Struct, omit_defaults=True):
    """A line that `src.explanation.check_explanations` reads, too. `of` is the claim_id of the clean one."""

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
