"""Multi-agent debate (Du et al. 2023), as MADR's baseline: two agents rewrite their texts, given each other's.

The first agent has the draft; the second writes its own text without having seen it. In each round both see the other's
text of the previous round. The first agent's last text is the result. Beyond the paper, and not with `published`: equal
texts end the debate as agreed, unchanged texts end it as stalled.
"""

from src.explanation.debate.agents import Agent, Brief, answer_to, own_text
from src.explanation.debate.conversation import Asking, Steps, Talk
from src.explanation.debate.records import Stop
from src.explanation.draft import unmarked

NAME = "debate"
WRITER = Agent.DEBATER_1
Texts = tuple[str, str]


def exchange(brief: Brief, max_rounds: int = 2, most_calls: int | None = None) -> Asking:
    """Return the debate: at most 1 + 2 * `max_rounds` calls without retries, none if the budget has no room for a
    round.
    """
    talk = Talk(NAME, WRITER, brief, most_calls)
    return talk.record(_steps(talk, brief, max_rounds))


def _steps(talk: Talk, brief: Brief, max_rounds: int) -> Steps[Stop]:
    (other,) = yield from talk.answers([own_text(Agent.DEBATER_2, brief)], spare=2)
    texts = (brief.draft, other)
    while brief.published or unmarked(texts[0]) != unmarked(texts[1]):
        if talk.debate.rounds == max_rounds:
            return Stop.CAP
        before, texts = texts, (yield from _round(talk, brief, texts))
        if texts == before and not brief.published:
            return Stop.STALLED
    return Stop.AGREED


def _round(talk: Talk, brief: Brief, texts: Texts) -> Steps[Texts]:
    first, second = texts
    questions = [
        answer_to(Agent.DEBATER_1, brief.on(first), second),
        answer_to(Agent.DEBATER_2, brief.on(second), first),
    ]
    talk.begin_round(calls=2)
    first, second = yield from talk.answers(questions)
    return first, second
