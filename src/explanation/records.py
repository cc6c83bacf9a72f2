"""Records of explanations in files: a claim with its verdict, evidence, explanation, and the debate on it."""

from enum import StrEnum

import msgspec

from src.explanation.typology import ErrorType
from src.records import ClaimId, Level, QAPair


class Stop(StrEnum):
    """Reason why a debate ended. The text written until then is kept, whatever the reason."""

    AGREED = "agreed"
    EMPTY = "empty"
    STALLED = "stalled"
    CAP = "cap"
    BUDGET = "budget"
    AGENT_FAILED = "agent-failed"


class Remark(msgspec.Struct, frozen=True):
    """One error that a debater found. `quote` is part of the draft; `type` is None if none of the nine types is
    named.
    """

    quote: str
    type: ErrorType | None
    reason: str
    fix: str


class Turn(msgspec.Struct, omit_defaults=True):
    """One reply of an agent in a round, and its parsed form: a debater's remarks or a judge's verdict.

    `text` is None if the agent did not answer, or was not asked because the request did not fit into the context; the
    latter is no call. `remarks` and `agreed` are None if the reply could not be parsed.
    """

    agent: str
    round: int
    text: str | None
    remarks: list[Remark] | None = None
    agreed: bool | None = None


class Cost(msgspec.Struct, frozen=True):
    """Cost of writing a missing draft."""

    calls: int
    prompt_tokens: int
    new_tokens: int


class Debate(msgspec.Struct, omit_defaults=True):
    """Record of a debate.

    `draft` is the debated text. `kept_back` is the reason why a revision was not accepted. `cut_replies` counts replies
    that ended at the limit of new tokens; the complete errors of cut feedback are used. `error` is the last error
    message of a model. `rounds` counts, for madr, the rounds after the first feedbacks; for self_refine and
    self_correct, the new texts; for debate, the exchanges. `calls` and tokens are those of the agents, with retries,
    without those of a missing draft.
    """

    stop: Stop
    rounds: int
    calls: int
    dropped_quotes: int
    accepted: bool
    transcript: list[Turn]
    draft: str = ""
    method: str = "madr"
    unreadable: int = 0
    prompt_tokens: int = 0
    new_tokens: int = 0
    kept_back: str = ""
    cut_replies: int = 0
    error: str = ""


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
