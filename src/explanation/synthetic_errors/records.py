"""Records of synthetic errors in files: kinds of errors, and copies of explanations with one error.

A copy has its twin (the same text without the error) beside it.
Of the fourteen kinds of errors, twelve are in one sentence, and two replace the whole explanation.
"""

from enum import StrEnum

import msgspec

from src.explanation.typology import ErrorType
from src.records import ClaimId, QAPair


class Kind(StrEnum):
    """Kind of a synthetic error. The typology counts names and numbers as entities; they are separate kinds here."""

    EXTRINSIC_ENTITY = "extrinsic entity"
    EXTRINSIC_NUMBER = "extrinsic number"
    OVERGENERALISATION = "overgeneralisation"
    IRRELEVANT_EVIDENCE = "irrelevant evidence"
    FLIPPED_CONCLUSION = "flipped conclusion"
    EXTRINSIC_EVENT = "extrinsic event"
    EXTRINSIC_EVENT_ELSEWHERE = "extrinsic event, of another claim"
    EXTRINSIC_NOUN_PHRASE = "extrinsic noun phrase"
    INTRINSIC_ENTITY = "intrinsic entity"
    INTRINSIC_NUMBER = "intrinsic number"
    INTRINSIC_EVENT = "intrinsic event"
    INTRINSIC_NOUN_PHRASE = "intrinsic noun phrase"
    OTHER_JUSTIFICATION = "justification of another claim"
    IDLE_SENTENCE = "true sentence that does not bear"

    @property
    def type(self) -> ErrorType:
        return _TYPES[self]


_TYPES = {
    Kind.EXTRINSIC_ENTITY: ErrorType.EXTRINSIC_ENTITY,
    Kind.EXTRINSIC_NUMBER: ErrorType.EXTRINSIC_ENTITY,
    Kind.OVERGENERALISATION: ErrorType.OVERGENERALISATION,
    Kind.IRRELEVANT_EVIDENCE: ErrorType.IRRELEVANT_EVIDENCE,
    Kind.FLIPPED_CONCLUSION: ErrorType.REASONING_COHERENCE,
    Kind.EXTRINSIC_EVENT: ErrorType.EXTRINSIC_EVENT,
    Kind.EXTRINSIC_EVENT_ELSEWHERE: ErrorType.EXTRINSIC_EVENT,
    Kind.EXTRINSIC_NOUN_PHRASE: ErrorType.EXTRINSIC_NOUN_PHRASE,
    Kind.INTRINSIC_ENTITY: ErrorType.INTRINSIC_ENTITY,
    Kind.INTRINSIC_NUMBER: ErrorType.INTRINSIC_ENTITY,
    Kind.INTRINSIC_EVENT: ErrorType.INTRINSIC_EVENT,
    Kind.INTRINSIC_NOUN_PHRASE: ErrorType.INTRINSIC_NOUN_PHRASE,
    Kind.OTHER_JUSTIFICATION: ErrorType.NO_BEARING,
    Kind.IDLE_SENTENCE: ErrorType.NO_BEARING,
}
IN_A_SENTENCE = tuple(kind for kind in Kind if kind.type is not ErrorType.NO_BEARING)
"""The kinds that change or insert one sentence; their errors are of the nine types that the tagger learns."""


class Error(msgspec.Struct, frozen=True):
    """A planted error.

    `kind`: kind of error.
    `type`: type that checks should report.
    `sentence`: index (from 0) of the sentence in the copy.
    `start`: index (from 0) of the first new character in the copy.
    `span`: the new text.
    `was`: the old text; empty if text was only inserted.
    """

    kind: Kind
    type: ErrorType
    sentence: int
    start: int
    span: str
    was: str = ""


class PlantedClaim(msgspec.Struct, omit_defaults=True):
    """A copy of an explanation with one error; `src.explanation.check_explanations` reads it, too.

    `claim_id`: number of the copy, from 0.
    `of`: claim_id of the clean explanation.
    `explanation`: text with the error.
    `twin`: text without the error.
    `planted`: the error.
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
