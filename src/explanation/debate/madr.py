"""MADR's debate on one explanation, as its Algorithm 1 (Kim et al. 2024, section 3).

F1, F2 are first feedbacks; while the judge does not find that they agree, and rounds are left, both debaters answer
each other at once, from the feedbacks of the round before; then the refiner mends the draft once. Beyond the paper:
two empty feedbacks end it without judge and refiner, feedbacks that stay the same end it as stalled, and so does a
budget of calls. An agent is asked again once where it did not answer or cannot be read; a judge that still cannot be
read does not agree, a debater or refiner that fails ends the debate with the draft as it was.

A debate is a generator: it yields what it asks at once and is sent the answers, so that those of many claims are asked
together. No text but the judge's True or False and the debaters' lists steers it.
"""

from collections.abc import Generator, Sequence
from typing import NamedTuple

from src.explanation.debate.agents import Agent, Brief, first_feedback, judgement, next_feedback, refinement
from src.explanation.debate.reading import read_feedback, read_judgement, read_revision
from src.explanation.debate.records import Debate, Remark, Stop, Turn
from src.llm.protocol import Reply, Request

ATTEMPTS = 2  # of an agent that does not answer, or not readably
Asking = Generator[list[Request], list[Reply | None], "Result"]
Both = tuple[list[Remark], list[Remark]]
DEBATERS = (Agent.DEBATER_1, Agent.DEBATER_2)


class Result(NamedTuple):
    """`revision` is the refiner's text, None where it was not asked or did not answer."""

    revision: str | None
    debate: Debate


class Failed(Exception):  # noqa: N818 - it ends a debate, no program
    """An agent did not answer, or not readably, however often it was asked."""


class Madr:
    """One debate. `most_calls` ends it before a round that would need more; None: no such limit."""

    def __init__(self, brief: Brief, max_rounds: int = 3, most_calls: int | None = None) -> None:
        self._brief, self._max_rounds, self._most_calls = brief, max_rounds, most_calls
        self._debate = Debate(Stop.CAP, 0, 0, 0, False, [], brief.draft)

    def run(self) -> Asking:
        try:
            feedback = yield from self._feedback([first_feedback(one, self._brief) for one in DEBATERS])
            self._debate.stop, feedback = yield from self._rounds(feedback)
            if self._debate.stop is Stop.EMPTY:
                return Result(None, self._debate)
            revision = yield from self._refined(list(dict.fromkeys([*feedback[0], *feedback[1]])))
            return Result(revision, self._debate)
        except Failed:
            self._debate.stop = Stop.AGENT_FAILED
            return Result(None, self._debate)

    def _rounds(self, feedback: Both) -> Generator[list[Request], list[Reply | None], tuple[Stop, Both]]:
        while True:
            if not any(feedback):
                return Stop.EMPTY, feedback
            if (yield from self._agreed(feedback)):
                return Stop.AGREED, feedback
            if self._debate.rounds == self._max_rounds:
                return Stop.CAP, feedback
            if self._most_calls is not None and self._debate.calls + 4 > self._most_calls:  # two, a judge, a refiner
                return Stop.BUDGET, feedback
            self._debate.rounds += 1
            before, (first, second) = feedback, feedback
            asked = [
                next_feedback(Agent.DEBATER_1, self._brief, first, second),
                next_feedback(Agent.DEBATER_2, self._brief, second, first),
            ]
            feedback = yield from self._feedback(asked)
            if feedback == before:
                return Stop.STALLED, feedback

    def _feedback(self, asked: Sequence[Request]) -> Generator[list[Request], list[Reply | None], Both]:
        """Of both debaters at once; who cannot be read is asked again."""
        found: list[list[Remark] | None] = [None, None]
        for _ in range(ATTEMPTS):
            open_ = [at for at, one in enumerate(found) if one is None]
            if not open_:
                break
            replies = yield from self._ask([asked[at] for at in open_])
            for at, reply in zip(open_, replies, strict=True):
                found[at] = self._remarks(DEBATERS[at], reply)
        first, second = found
        if first is None or second is None:
            raise Failed
        return first, second

    def _remarks(self, agent: Agent, reply: Reply | None) -> list[Remark] | None:
        read = read_feedback(reply.text, self._brief.draft) if reply is not None else None
        self._debate.unreadable += reply is not None and read is None
        self._debate.dropped_quotes += read.dropped if read is not None else 0
        self._say(agent, reply, remarks=None if read is None else read.remarks)
        return None if read is None else read.remarks

    def _agreed(self, feedback: Both) -> Generator[list[Request], list[Reply | None], bool]:
        for attempt in range(ATTEMPTS):
            (reply,) = yield from self._ask([judgement(*feedback, again=attempt > 0)])
            agreed = read_judgement(reply.text) if reply is not None else None
            self._debate.unreadable += reply is not None and agreed is None
            self._say(Agent.JUDGE, reply, agreed=agreed)
            if agreed is not None:
                return agreed
        if self._debate.transcript[-1].text is None:
            raise Failed
        return False

    def _refined(self, remarks: Sequence[Remark]) -> Generator[list[Request], list[Reply | None], str]:
        for _ in range(ATTEMPTS):
            (reply,) = yield from self._ask([refinement(self._brief, remarks)])
            self._say(Agent.REFINER, reply)
            if reply is not None and (text := read_revision(reply.text)):
                return text
        raise Failed

    def _ask(self, requests: list[Request]) -> Generator[list[Request], list[Reply | None], list[Reply | None]]:
        self._debate.calls += len(requests)
        replies = yield requests
        for reply in replies:
            if reply is not None:
                self._debate.prompt_tokens += reply.prompt_tokens
                self._debate.new_tokens += reply.new_tokens
        return replies

    def _say(
        self, agent: Agent, reply: Reply | None, *, remarks: list[Remark] | None = None, agreed: bool | None = None
    ) -> None:
        text = None if reply is None else reply.text
        self._debate.transcript.append(Turn(agent, self._debate.rounds, text, remarks, agreed))
