"""What explanations leave in files: a claim with its verdict, what it rests on, and why in words."""

import msgspec

from src.explanation.debate.records import Cost, Debate
from src.explanation.typology import ErrorType
from src.records import ClaimId, Level, QAPair

Item = tuple[str, int]  # method, claim_id


class ExplainedClaim(msgspec.Struct, omit_defaults=True):
    """`evidence` are question-answer pairs, or `source` is one text: a passage a line, or sentences.

    Their pieces are numbered from 1 (`src/explanation/pieces.py`). `explanation` is None before there is one; `cites`
    holds, of each of its sentences, the numbers of the pieces it rests on, `debate` how it was refined, `drafting` what
    a missing draft took, `level` how far the verdict may be relied on. An explanation may also name `claim_date` and
    `speaker`.
    """

    claim_id: ClaimId
    claim: str
    label: str
    evidence: list[QAPair] = []
    source: str = ""
    claim_date: str = ""
    speaker: str = ""
    explanation: str | None = None
    cites: list[list[int]] = []
    debate: Debate | None = None
    drafting: Cost | None = None
    level: Level | None = None


class Explanation(msgspec.Struct, frozen=True):
    """`sentences` in order, each with the numbers of the pieces it rests on."""

    sentences: tuple[str, ...]
    cites: tuple[tuple[int, ...], ...]

    @property
    def text(self) -> str:
        return " ".join(self.sentences)

    @property
    def marked(self) -> str:
        """With its numbers behind each sentence: `Eels swim. [2]`."""
        marks = ("".join(f" [{number}]" for number in numbers) for numbers in self.cites)
        return " ".join(f"{sentence}{mark}" for sentence, mark in zip(self.sentences, marks, strict=True))


class Finding(msgspec.Struct, frozen=True):
    """What a check found: `sentence` counts from 0, `span` is a part of it, `evidence_id` counts from 1.

    `evidence_id` names the piece that an intrinsic error misstates, the one with most words of the sentence; None where
    there is none.
    """

    claim_id: ClaimId
    sentence: int
    type: ErrorType
    span: str
    reason: str
    evidence_id: int | None = None
