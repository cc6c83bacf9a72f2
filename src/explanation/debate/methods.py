"""The refinement methods: MADR and its baselines, each a debate on one draft.

MADR (Algorithm 1 of Kim et al. 2024): both debaters give a first feedback (F1, F2). While the judge does not find that
they agree, and rounds are left, both debaters answer at the same time, given both feedbacks of the previous round. Then
the refiner revises the draft once. The course depends only on the judge's True or False and on the debaters' lists.
Beyond the paper: two empty feedbacks end the debate without judge and refiner. Unchanged feedbacks end it as stalled. A
limit of calls may end it; one call is reserved for the refiner. An agent that fails ends it. In the last three cases
the refiner uses the feedback of the last complete round, if there is one. An unreadable judgment counts as no
agreement. With `published`, empty or unchanged feedbacks do not end the debate: the judge and the refiner are always
asked. The refiner gets both feedbacks, one after the other, with all their errors.

Self-Refine (Madaan et al. 2023): one agent finds errors in its own text and corrects them. Feedback and new text
alternate until the feedback is empty or the text does not change (the latter not with `published`). Feedback has the
form of MADR's debaters, preceded by the number of errors.

Self-correction: one agent reviews and rewrites its own text repeatedly, with as many calls as MADR may make. It shows
what the debate adds to the number of calls. MADR with k rounds makes at most 5 + 3k calls, including one for the draft.
Self-correction also starts with one call for the draft; 4 + 3k rewritings follow, without early stopping. The last text
is the result.

Multi-agent debate (Du et al. 2023): two agents rewrite their texts, each given the other's text. The first agent has
the draft; the second writes its own text without having seen it. In each round both see the other's text of the
previous round. The first agent's last text is the result. Beyond the paper, and not with `published`: equal texts end
the debate as agreed, unchanged texts end it as stalled.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from src.explanation.debate.agents import (
    Agent,
    Brief,
    Feedback,
    Question,
    answer_to,
    correction,
    first_feedback,
    judgment,
    next_feedback,
    own_text,
    refinement,
)
from src.explanation.debate.conversation import Conversation, DebateSteps, Ended, Failed, Steps
from src.explanation.records import Remark, Stop
from src.explanation.text import unmarked

MADR, SELF_REFINE, SELF_CORRECT, DEBATE = "madr", "self_refine", "self_correct", "debate"
DEBATERS = (Agent.DEBATER_1, Agent.DEBATER_2)
Feedbacks = tuple[list[Remark], list[Remark]]
Texts = tuple[str, str]


def madr(brief: Brief, max_rounds: int = 3, most_calls: int | None = None) -> DebateSteps:
    """Return a generator that runs MADR on the draft. It makes at most 4 + 3 * `max_rounds` calls, not counting
    retries.
    """
    conversation = Conversation(MADR, Agent.REFINER, brief, most_calls)
    return conversation.record(_madr_steps(conversation, brief, max_rounds))


def _madr_steps(conversation: Conversation, brief: Brief, max_rounds: int) -> Steps[Stop]:
    feedback = yield from _both_feedbacks(conversation, [first_feedback(one, brief) for one in DEBATERS])
    stop, (first, second) = yield from _madr_rounds(conversation, brief, feedback, max_rounds)
    if stop is not Stop.EMPTY:
        both = [*first, *second]
        yield from conversation.answers([refinement(brief, both if brief.published else list(dict.fromkeys(both)))])
    return stop


def _madr_rounds(
    conversation: Conversation, brief: Brief, feedback: Feedbacks, max_rounds: int
) -> Steps[tuple[Stop, Feedbacks]]:
    try:
        while brief.published or any(feedback):
            if (yield from _agreed(conversation, brief, feedback)):
                return Stop.AGREED, feedback
            if conversation.debate.rounds == max_rounds:
                return Stop.CAP, feedback
            before, feedback = feedback, (yield from _madr_round(conversation, brief, feedback))
            if feedback == before and not brief.published:
                return Stop.STALLED, feedback
    except Ended as end:
        return end.stop, feedback
    return Stop.EMPTY, feedback


def _madr_round(conversation: Conversation, brief: Brief, feedback: Feedbacks) -> Steps[Feedbacks]:
    first, second = feedback
    questions = [
        next_feedback(Agent.DEBATER_1, brief, first, second),
        next_feedback(Agent.DEBATER_2, brief, second, first),
    ]
    conversation.begin_round(calls=3)  # two debaters and the refiner
    return (yield from _both_feedbacks(conversation, questions))


def _both_feedbacks(conversation: Conversation, questions: Sequence[Question[Feedback]]) -> Steps[Feedbacks]:
    first, second = yield from conversation.answers(questions, spare=1)
    return first.remarks, second.remarks


def _agreed(conversation: Conversation, brief: Brief, feedback: Feedbacks) -> Steps[bool]:
    (agreed,) = yield from conversation.ask([judgment(*feedback, grammar=brief.grammar)], spare=1)
    if agreed is None and conversation.debate.transcript[-1].text is None:
        raise Failed
    return bool(agreed)


def self_refine(brief: Brief, max_rounds: int = 3, most_calls: int | None = None) -> DebateSteps:
    """Return a generator that runs Self-Refine on the draft. It makes at most 2 * `max_rounds` calls, not counting
    retries.

    Feedback is requested only if a call is left to use it.
    """
    conversation = Conversation(SELF_REFINE, Agent.SELF_REFINE, brief, most_calls)
    return conversation.record(_self_refine_steps(conversation, brief, max_rounds))


def _self_refine_steps(conversation: Conversation, brief: Brief, max_rounds: int) -> Steps[Stop]:
    while conversation.debate.rounds < max_rounds:
        (feedback,) = yield from conversation.answers([first_feedback(Agent.SELF_REFINE_FEEDBACK, brief)], spare=1)
        if not feedback.remarks:
            return Stop.EMPTY
        conversation.begin_round(calls=1)
        (text,) = yield from conversation.answers([refinement(brief, feedback.remarks, Agent.SELF_REFINE)])
        if unmarked(text) == unmarked(brief.draft) and not brief.published:
            return Stop.STALLED
        brief = brief.on(text)
    return Stop.CAP


def self_correct(brief: Brief, max_rounds: int = 3, most_calls: int | None = None) -> DebateSteps:
    """Return a generator that runs self-correction on the draft. It makes 4 + 3 * `max_rounds` calls, not counting
    retries, or at most `most_calls` with retries.
    """
    conversation = Conversation(SELF_CORRECT, Agent.SELF_CORRECT, brief, most_calls)
    return conversation.record(_self_correct_steps(conversation, brief, 4 + 3 * max_rounds))


def _self_correct_steps(conversation: Conversation, brief: Brief, texts: int) -> Steps[Stop]:
    while conversation.debate.rounds < texts:
        conversation.begin_round(calls=1)
        (text,) = yield from conversation.answers([correction(brief)])
        brief = brief.on(text)
    return Stop.CAP


def exchange(brief: Brief, max_rounds: int = 2, most_calls: int | None = None) -> DebateSteps:
    """Return a generator that runs multi-agent debate on the draft. It makes at most 1 + 2 * `max_rounds` calls, not
    counting retries.

    It makes no call if `most_calls` does not allow a whole round.
    """
    conversation = Conversation(DEBATE, Agent.DEBATER_1, brief, most_calls)
    return conversation.record(_exchange_steps(conversation, brief, max_rounds))


def _exchange_steps(conversation: Conversation, brief: Brief, max_rounds: int) -> Steps[Stop]:
    (other,) = yield from conversation.answers([own_text(Agent.DEBATER_2, brief)], spare=2)
    texts = (brief.draft, other)
    while brief.published or unmarked(texts[0]) != unmarked(texts[1]):
        if conversation.debate.rounds == max_rounds:
            return Stop.CAP
        before, texts = texts, (yield from _exchange_round(conversation, brief, texts))
        if texts == before and not brief.published:
            return Stop.STALLED
    return Stop.AGREED


def _exchange_round(conversation: Conversation, brief: Brief, texts: Texts) -> Steps[Texts]:
    first, second = texts
    questions = [
        answer_to(Agent.DEBATER_1, brief.on(first), second),
        answer_to(Agent.DEBATER_2, brief.on(second), first),
    ]
    conversation.begin_round(calls=2)
    first, second = yield from conversation.answers(questions)
    return first, second


class Method(NamedTuple):
    """A refinement method.

    `agents`: its agents.
    `writer`: the agent whose last text is the result.
    `debate`: function that returns the debate on one draft, given the brief, the most rounds and the most calls.
    `rounds`: default number of rounds.
    `least_rounds`: smallest number of rounds.
    `roles`: True if an option with the name of an agent may give that agent another model.
    `published`: number of rounds in the code of the method's paper.
    `types`: allowed values of `--typology`; empty if the method's prompts do not show the types of errors.
    """

    agents: tuple[Agent, ...]
    writer: Agent
    debate: Callable[[Brief, int, int | None], DebateSteps]
    rounds: int
    least_rounds: int
    roles: bool
    published: int = 3
    types: tuple[str, ...] = ()


MADR_AGENTS = (Agent.DEBATER_1, Agent.DEBATER_2, Agent.JUDGE, Agent.REFINER)
METHODS: Mapping[str, Method] = {
    MADR: Method(
        MADR_AGENTS, Agent.REFINER, madr, 3, 0, roles=True, published=10, types=("both", "debater_1", "none")
    ),
    SELF_REFINE: Method(
        (Agent.SELF_REFINE_FEEDBACK, Agent.SELF_REFINE), Agent.SELF_REFINE, self_refine, 3, 1,
        roles=False, published=1, types=("both", "none"),
    ),
    SELF_CORRECT: Method(
        (Agent.SELF_CORRECT,), Agent.SELF_CORRECT, self_correct, 3, 0, roles=False,
        types=("both", "none"),
    ),
    DEBATE: Method(
        (Agent.DEBATER_1, Agent.DEBATER_2), Agent.DEBATER_1, exchange, 2, 1, roles=True, published=2
    ),
}  # fmt: skip
