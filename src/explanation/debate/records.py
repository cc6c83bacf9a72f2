"""What a debate leaves: the feedback of each round as it was read, raw replies, how it stopped, what it cost."""

from enum import StrEnum

import msgspec

from src.explanation.typology import ErrorType


class Stop(StrEnum):
    """Why a debate ended. What was written until then stands, whatever the reason."""

    AGREED = "agreed"
    EMPTY = "empty"
    STALLED = "stalled"
    CAP = "cap"
    BUDGET = "budget"
    AGENT_FAILED = "agent-failed"


class Remark(msgspec.Struct, frozen=True):
    """One error that a debater found: `quote` stands in the draft. `type` is None where none of the nine was named."""

    quote: str
    type: ErrorType | None
    reason: str
    fix: str


class Turn(msgspec.Struct, omit_defaults=True):
    """One call: what the agent said in the round, and how it was read: a debater's remarks, a judge's verdict.

    `text` is None where the agent did not answer, or was not asked for want of room in the context: that is no call.
    Both readings are None where the answer could not be read.
    """

    agent: str
    round: int
    text: str | None
    remarks: list[Remark] | None = None
    agreed: bool | None = None


class Cost(msgspec.Struct, frozen=True):
    """Of a draft that was missing."""

    calls: int
    prompt_tokens: int
    new_tokens: int


class Debate(msgspec.Struct, omit_defaults=True):
    """`kept_back` says why a revision was not accepted; `draft` is what was debated.

    `cut_replies` ended at the limit of new tokens; of cut feedback the whole errors are read. `error` is what the
    model of the agent that failed last said of it. `rounds`: of madr those after the first feedbacks, of self_refine
    and self_correct its new texts, of debate the exchanges. `calls` and tokens are those of the agents, retries
    among them, not those of a missing draft.
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
