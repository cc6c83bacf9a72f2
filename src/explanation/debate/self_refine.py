"""Self-Refine (Madaan et al. 2023), as MADR's baseline: one agent finds errors in its own text and corrects them.

Feedback and new text alternate until the feedback is empty or the text does not change (the latter not with
`published`). Feedback has the form of MADR's debaters, preceded by the number of errors.
"""

from src.explanation.debate.agents import Agent, Brief, first_feedback, refinement
from src.explanation.debate.conversation import Asking, Steps, Talk
from src.explanation.debate.records import Stop
from src.explanation.draft import unmarked

NAME = "self_refine"
WRITER = Agent.SELF_REFINE


def self_refine(brief: Brief, max_rounds: int = 3, most_calls: int | None = None) -> Asking:
    """Return the debate: at most 2 * `max_rounds` calls without retries; feedback is requested only if a call is left
    to use it.
    """
    talk = Talk(NAME, WRITER, brief, most_calls)
    return talk.record(_steps(talk, brief, max_rounds))


def _steps(talk: Talk, brief: Brief, max_rounds: int) -> Steps[Stop]:
    while talk.debate.rounds < max_rounds:
        (found,) = yield from talk.answers([first_feedback(Agent.SELF_REFINE_FEEDBACK, brief)], spare=1)
        if not found.remarks:
            return Stop.EMPTY
        talk.begin_round(calls=1)
        (text,) = yield from talk.answers([refinement(brief, found.remarks, WRITER)])
        if unmarked(text) == unmarked(brief.draft) and not brief.published:
            return Stop.STALLED
        brief = brief.on(text)
    return Stop.CAP
