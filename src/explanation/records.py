"""Records of explanations in files: a claim with its verdict, its evidence and its explanation."""

import msgspec

from src.explanation.debate.records import Cost, Debate
from src.explanation.typology import ErrorType
from src.records import ClaimId, Level, QAPair

Item = tuple[str, int]  # method, claim_id


class ExplainedClaim(msgspec.Struct, omit_defaults=True):
    """A claim with its verdict, evidence and explanation.

    `evidence` has question-answer pairs; or `source` is one text, with a passage per line, or sentences. Their pieces
    are numbered from 1 (`src/explanation/pieces.py`). `explanation` is None until it is written. `cites` has, for each
    of its sentences, the numbers of the cited pieces. `debate` records how it was refined, `drafting` the cost of a
    missing draft, `level` how reliable the verdict is. An explanation may also name `claim_date` and `speaker`.
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
    """Sentences in order, each with the numbers of the pieces it cites."""

    sentences: tuple[str, ...]
    cites: tuple[tuple[int, ...], ...]

    @property
    def text(self) -> str:
        return " ".join(self.sentences)

    @property
    def marked(self) -> str:
        """Return the text with its citations after each sentence: `Eels swim. [2]`."""
        marks = ("".join(f" [{number}]" for number in numbers) for numbers in self.cites)
        return " ".join(f"{sentence}{mark}" for sentence, mark in zip(self.sentences, marks, strict=True))


class Finding(msgspec.Struct, frozen=True):
    """An error that a check found: `sentence` counts from 0, `span` is a part of it, `evidence_id` counts from 1.

    `evidence_id` is the piece that an intrinsic error misstates: the one that shares most words with the sentence. It
    is None for other errors and without such a piece.
    """

    claim_id: ClaimId
    sentence: int
    type: ErrorType
    span: str
    reason: str
    evidence_id: int | None = None
