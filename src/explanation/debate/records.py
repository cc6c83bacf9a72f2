"""Records of a debate: parsed feedback of each round, raw replies, reason for its end, and cost."""

from enum import StrEnum

import msgspec

from src.explanation.typology import ErrorType


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
