"""The piece of evidence that an intrinsic error misstates: the one that shares most words with the sentence."""

from collections.abc import Sequence

from msgspec.structs import replace

from src.explanation.pieces import NearestPiece, pieces
from src.explanation.records import ExplainedClaim, Finding
from src.explanation.typology import ErrorType
from src.text import sentences

INTRINSIC = frozenset((ErrorType.INTRINSIC_ENTITY, ErrorType.INTRINSIC_EVENT, ErrorType.INTRINSIC_NOUN_PHRASE))


def with_evidence(claim: ExplainedClaim, found: Sequence[Finding]) -> list[Finding]:
    if not any(one.type in INTRINSIC for one in found):
        return list(found)
    nearest, said = NearestPiece(pieces(claim)), sentences(claim.explanation or "")
    return [
        replace(one, evidence_id=next(iter(nearest.to(said[one.sentence])), None)) if one.type in INTRINSIC else one
        for one in found
    ]
