"""Self-correction: one agent reviews and rewrites its own text repeatedly, with as many calls as MADR may make.

It shows what debate adds to mere calls. MADR with k rounds makes at most 5 + 3k calls, the first for the draft. Here
the draft is the first call, too, and 4 + 3k rewritings follow, without early stopping. The last text is the result.
"""

from src.explanation.debate.agents import Agent, Brief, correction
from src.explanation.debate.conversation import Asking, Steps, Talk
from src.explanation.debate.records import Stop

NAME = "self_correct"
WRITER = Agent.SELF_CORRECT


def self_correct(brief: Brief, max_rounds: int = 3, most_calls: int | None = None) -> Asking:
    """Return the debate: 4 + 3 * `max_rounds` calls plus retries, or at most `most_calls` with retries."""
    talk = Talk(NAME, WRITER, brief, most_calls)
    return talk.record(_steps(talk, brief, 4 + 3 * max_rounds))


def _steps(talk: Talk, brief: Brief, texts: int) -> Steps[Stop]:
    while talk.debate.rounds < texts:
        talk.begin_round(calls=1)
        (text,) = yield from talk.answers([correction(brief)])
        brief = brief.on(text)
    return Stop.CAP
