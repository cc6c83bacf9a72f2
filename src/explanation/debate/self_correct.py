"""Self-correction: one agent reviews and rewrites its own text again and again, with as many calls as MADR may take.

What debate adds to mere calls shows beside it. MADR with k rounds takes at most 5 + 3k calls, of which the first is the
draft; here, too, the draft is the first, and 4 + 3k rewritings follow, without an early stop. The last is the result.
"""

from src.explanation.debate.agents import Agent, Brief, correction
from src.explanation.debate.conversation import Asking, Steps, Talk
from src.explanation.debate.records import Stop

NAME = "self_correct"
WRITER = Agent.SELF_CORRECT


def self_correct(brief: Brief, max_rounds: int = 3, most_calls: int | None = None) -> Asking:
    """4 + 3 * `max_rounds` calls, or `most_calls`; retries come on top of the former, not of the latter."""
    talk = Talk(NAME, WRITER, brief, most_calls)
    return talk.record(_steps(talk, brief, 4 + 3 * max_rounds))


def _steps(talk: Talk, brief: Brief, texts: int) -> Steps[Stop]:
    while talk.debate.rounds < texts:
        talk.begin_round(calls=1)
        (text,) = yield from talk.answers([correction(brief)])
        brief = brief.on(text)
    return Stop.CAP
