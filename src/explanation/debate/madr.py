"""MADR's debate on one explanation, as its Algorithm 1 (Kim et al. 2024).

F1, F2 are first feedbacks; while the judge does not find that they agree, and rounds are left, both debaters answer
each other at once, from the feedbacks of the round before; then the refiner mends the draft once. Beyond the paper:
two empty feedbacks end it without judge and refiner, feedbacks that stay the same end it as stalled, and so does a
budget of calls, of which one is kept for the refiner, and an agent that fails: the refiner then mends what the last
whole round found, if there is one. A judge that cannot be read does not agree.

With `published` none of this but the failures: the judge is always asked, and the refiner, who gets both feedbacks one
behind the other, with all their errors.

No text but the judge's True or False and the debaters' lists steers it.
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
    """At most 4 + 3 * `max_rounds` calls, retries aside."""
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
