"""What annotators are shown of an explanation: sentences, claim, verdict, numbered evidence, and not who wrote it."""

import hashlib
from functools import cached_property
from typing import NamedTuple

import msgspec

from src.explanation.pieces import Piece, pieces
from src.explanation.records import ExplainedClaim
from src.records import ClaimId
from src.text import sentences


class Sentence(msgspec.Struct, frozen=True):
    """`cites` are the numbers of the pieces it rests on."""

    text: str
    cites: list[int]


class Shown(msgspec.Struct, frozen=True, dict=True):
    """`verdict` as the file says it."""

    claim_id: ClaimId
    claim: str
    verdict: str
    claim_date: str
    speaker: str
    sentences: list[Sentence]
    evidence: list[Piece]

    @cached_property
    def text(self) -> "Text":
        return Text(hashlib.sha256(msgspec.json.encode(self)).hexdigest()[:16], len(self.sentences))


class Text(NamedTuple):
    """What tells an explanation from another: a hash of all that is shown, and how many sentences it has."""

    hash: str
    sentences: int


def shown(claim: ExplainedClaim) -> Shown:
    """Numbers that name no piece are left out."""
    found = pieces(claim)
    said = sentences(claim.explanation or "")
    known = {piece.number for piece in found}
    cites = [[number for number in numbers if number in known] for numbers in (*claim.cites, *([[]] * len(said)))]
    parts = [Sentence(text, numbers) for text, numbers in zip(said, cites, strict=False)]
    return Shown(claim.claim_id, claim.claim, claim.label, claim.claim_date, claim.speaker, parts, found)
