"""MADR's debate on one explanation, Algorithm 1 of Kim et al. 2024.

Both debaters give a first feedback (F1, F2). While the judge does not find that they agree, and rounds are left, both
answer each other at once, given the feedbacks of the previous round. Then the refiner revises the draft once.

Beyond the paper: two empty feedbacks end the debate without judge and refiner. Unchanged feedbacks end it as stalled. A
budget of calls may end it; one call is reserved for the refiner. An agent that fails ends it. In the last three cases
the refiner uses the feedback of the last complete round, if there is one. An unreadable judgment counts as no
agreement.

With `published`, empty or unchanged feedbacks do not end the debate: the judge and the refiner are always asked. The
refiner gets both feedbacks, one after the other, with all their errors.

The course depends only on the judge's True or False and on the debaters' lists, not on any other text.
"""

from collections.abc import Sequence

from src.explanation.debate.agents import Agent, Brief, Question, first_feedback, judgement, next_feedback, refinement
from src.explanation.debate.conversation import Asking, Ended, Failed, Steps, Talk
from src.explanation.debate.reading import Feedback
from src.explanation.debate.records import Remark, Stop

NAME = "madr"
WRITER = Agent.REFINER
DEBATERS = (Agent.DEBATER_1, Agent.DEBATER_2)
Both = tuple[list[Remark], list[Remark]]


def madr(brief: Brief, max_rounds: int = 3, most_calls: int | None = None) -> Asking:
    """Return the debate: at most 4 + 3 * `max_rounds` calls, without retries."""
    talk = Talk(NAME, WRITER, brief, most_calls)
    return talk.record(_steps(talk, brief, max_rounds))


def _steps(talk: Talk, brief: Brief, max_rounds: int) -> Steps[Stop]:
    feedback = yield from _both(talk, [first_feedback(one, brief) for one in DEBATERS])
    stop, (first, second) = yield from _rounds(talk, brief, feedback, max_rounds)
    if stop is not Stop.EMPTY:
        both = [*first, *second]
        yield from talk.answers([refinement(brief, both if brief.published else list(dict.fromkeys(both)))])
    return stop


def _rounds(talk: Talk, brief: Brief, feedback: Both, max_rounds: int) -> Steps[tuple[Stop, Both]]:
    try:
        while brief.published or any(feedback):
            if (yield from _agreed(talk, brief, feedback)):
                return Stop.AGREED, feedback
            if talk.debate.rounds == max_rounds:
                return Stop.CAP, feedback
            before, feedback = feedback, (yield from _round(talk, brief, feedback))
            if feedback == before and not brief.published:
                return Stop.STALLED, feedback
    except Ended as end:
        return end.stop, feedback
    return Stop.EMPTY, feedback


def _round(talk: Talk, brief: Brief, feedback: Both) -> Steps[Both]:
    first, second = feedback
    questions = [
        next_feedback(Agent.DEBATER_1, brief, first, second),
        next_feedback(Agent.DEBATER_2, brief, second, first),
    ]
    talk.begin_round(calls=3)  # both, and the refiner
    return (yield from _both(talk, questions))


def _both(talk: Talk, questions: Sequence[Question[Feedback]]) -> Steps[Both]:
    first, second = yield from talk.answers(questions, spare=1)
    return first.remarks, second.remarks


def _agreed(talk: Talk, brief: Brief, feedback: Both) -> Steps[bool]:
    (agreed,) = yield from talk.ask([judgement(*feedback, grammar=brief.grammar)], spare=1)
    if agreed is None and talk.debate.transcript[-1].text is None:
        raise Failed
    return bool(agreed)
