"""Records of explanations in files: a claim with its verdict, evidence, explanation, and the debate on the
explanation.
"""

from enum import StrEnum

import msgspec

from src.explanation.typology import ErrorType
from src.records import ClaimId, Level, QAPair


class Stop(StrEnum):
    """Reason why a debate ended. The last text is used, whatever the reason.

    `AGREED`: the judge found that the debaters agree, or the texts of both debaters are equal.
    `EMPTY`: no agent found an error.
    `STALLED`: feedback or text did not change in a round.
    `CAP`: the limit of rounds was reached.
    `BUDGET`: the limit of calls was reached.
    `AGENT_FAILED`: an agent gave no readable reply.
    """

    AGREED = "agreed"
    EMPTY = "empty"
    STALLED = "stalled"
    CAP = "cap"
    BUDGET = "budget"
    AGENT_FAILED = "agent-failed"


class Remark(msgspec.Struct, frozen=True):
    """An error that a debater names.

    `quote`: part of the draft.
    `type`: type of error; None if none of the nine types is named.
    `reason`: why it is an error.
    `fix`: how to correct it.
    """

    quote: str
    type: ErrorType | None
    reason: str
    fix: str


class Turn(msgspec.Struct, omit_defaults=True):
    """One reply of an agent in a round, with its parsed form.

    `agent`: name of the agent (`Agent`).
    `round`: number of the round; 0 before the first one.
    `text`: the reply; None if the agent did not answer, or was not asked because the request did not fit into the
        context.
    `remarks`: a debater's remarks; None if the reply could not be parsed.
    `agreed`: a judge's verdict; None if the reply could not be parsed.
    """

    agent: str
    round: int
    text: str | None
    remarks: list[Remark] | None = None
    agreed: bool | None = None


class Cost(msgspec.Struct, frozen=True):
    """Cost of writing a missing draft.

    `calls`: number of model calls.
    `prompt_tokens`, `new_tokens`: tokens read and written in all calls.
    """

    calls: int
    prompt_tokens: int
    new_tokens: int


class Debate(msgspec.Struct, omit_defaults=True):
    """Record of a debate.

    `stop`: reason why it ended.
    `rounds`: for madr, rounds after the first feedbacks; for self_refine and self_correct, new texts; for debate,
        exchanges.
    `calls`, `prompt_tokens`, `new_tokens`: cost of all agents with their retries, without the cost of writing a missing
        draft.
    `dropped_quotes`: number of remarks whose quote is not in the draft.
    `accepted`: True if the revision replaces the draft.
    `transcript`: all replies, in order.
    `draft`: text that was debated.
    `method`: name of the method.
    `unreadable`: number of replies that could not be parsed.
    `kept_back`: reason why the revision was not accepted.
    `cut_replies`: number of replies that ended at the limit of new tokens; the complete errors of cut feedback are
        used.
    `error`: last error message of a model.
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

    `claim_id`, `claim`: number and text of the claim.
    `label`: the verdict.
    `evidence`: question-answer pairs; empty if `source` is given.
    `source`: evidence as one text, with a passage per line, or sentences.
    `claim_date`, `speaker`: may be named in an explanation.
    `explanation`: the explanation; None until it is written.
    `cites`: for each sentence of the explanation, the numbers of the pieces of evidence that it cites, from 1
        (`src/explanation/pieces.py`).
    `debate`: record of the refinement.
    `drafting`: cost of a missing draft.
    `level`: how reliable the verdict is.
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
    """Sentences of an explanation in order, each with the numbers of the pieces of evidence that it cites."""

    sentences: tuple[str, ...]
    cites: tuple[tuple[int, ...], ...]

    @property
    def text(self) -> str:
        return " ".join(self.sentences)

    @property
    def marked(self) -> str:
        """Return the text with citation marks after each sentence: `Eels swim. [2]`."""
        marks = ("".join(f" [{number}]" for number in numbers) for numbers in self.cites)
        return " ".join(f"{sentence}{mark}" for sentence, mark in zip(self.sentences, marks, strict=True))


class Finding(msgspec.Struct, frozen=True):
    """An error that a check found in an explanation.

    `sentence`: index (from 0) of the sentence in the explanation.
    `type`: type of error.
    `span`: the words of the sentence that are wrong.
    `reason`: why they are wrong.
    `evidence_id`: number, from 1, of the piece of evidence that shares most words with the sentence; only for
        intrinsic errors.
    """

    claim_id: ClaimId
    sentence: int
    type: ErrorType
    span: str
    reason: str
    evidence_id: int | None = None
