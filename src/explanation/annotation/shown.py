"""What annotators are shown of an explanation: sentences, claim, verdict and numbered evidence, without its method."""

import hashlib
from functools import cached_property
from typing import NamedTuple

import msgspec

from src.explanation.pieces import Piece, pieces
from src.explanation.records import ExplainedClaim
from src.records import ClaimId
from src.text import sentences


class Sentence(msgspec.Struct, frozen=True):
    """A sentence; `cites` are the numbers of the pieces that it cites."""

    text: str
    cites: list[int]


class Shown(msgspec.Struct, frozen=True, dict=True):
    """An explanation with its claim and evidence; `verdict` is the label in the file."""

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
    """Identity of an explanation: a hash of everything that is shown, and the number of sentences."""

    hash: str
    sentences: int


def shown(claim: ExplainedClaim) -> Shown:
    """Return what annotators are shown; citations of unknown pieces are left out."""
    found = pieces(claim)
    said = sentences(claim.explanation or "")
    known = {piece.number for piece in found}
    cites = [[number for number in numbers if number in known] for numbers in (*claim.cites, *([[]] * len(said)))]
    parts = [Sentence(text, numbers) for text, numbers in zip(said, cites, strict=False)]
    return Shown(claim.claim_id, claim.claim, claim.label, claim.claim_date, claim.speaker, parts, found)
