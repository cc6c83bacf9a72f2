"""Conversation with the agents about one claim, for all methods, and the batching of many conversations.

A debate is a generator: it yields requests and is sent their replies. The requests of many claims are sent in one
batch. If an agent does not answer, or its reply cannot be parsed, it is asked once more; after an unreadable reply the
prompt names the problem. A request that does not fit into the model's context is not sent, not counted as a call, and
not repeated.
"""

import time
from collections import defaultdict
from collections.abc import Generator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from src.errors import ModelError
from src.explanation.debate.agents import Agent, Brief, Feedback, Question, read_revision
from src.explanation.records import Debate, Stop, Turn
from src.llm.protocol import LanguageModel, Reply, Request
from src.llm.replies import NoRoomError, with_room
from src.store import storable

ATTEMPTS = 2  # for an agent that fails, or whose reply cannot be parsed
Parsed = TypeVar("Parsed")
Returned = TypeVar("Returned")
Steps = Generator[list[Request], list[Reply | ModelError], Returned]


class Result(NamedTuple):
    """Result of a debate.

    `revision`: last text that the writing agent wrote; None if there is none.
    `debate`: record of the debate.
    `seconds`: time of the models.
    """

    revision: str | None
    debate: Debate
    seconds: float = 0.0


DebateSteps = Steps[Result]


class Ended(Exception):  # noqa: N818 - it ends a debate, no program
    """Raised to end a debate early; its transcript is kept. `stop` is the reason."""

    stop: Stop


class Failed(Ended):
    """Raised when every attempt of an agent failed or could not be parsed."""

    stop = Stop.AGENT_FAILED


class OutOfCalls(Ended):
    """Raised when the next requests would exceed the limit of calls."""

    stop = Stop.BUDGET


def last_text(debate: Debate, writer: Agent, *, published: bool = False) -> str | None:
    """Return the last readable text of the agent `writer` in a debate; None if there is none."""
    texts = (turn.text or "" for turn in reversed(debate.transcript) if turn.agent == writer)
    return next(filter(None, (read_revision(text, published=published) for text in texts)), None)


class Conversation:
    """Conversation with the agents about one draft; it makes at most `most_calls` calls (None: no limit).

    `method` is the name of the method, `writer` the agent whose last text is the result. The record is in `debate`.
    """

    def __init__(self, method: str, writer: Agent, brief: Brief, most_calls: int | None = None) -> None:
        self._writer, self._published, self._most_calls = writer, brief.published, most_calls
        self.debate = Debate(Stop.CAP, 0, 0, 0, False, [], brief.draft, method)

    def record(self, steps: Steps[Stop]) -> DebateSteps:
        """Run a method's steps to their end and return the result: the writer's last text and the record of the debate,
        which has the reason why it stopped.
        """
        try:
            self.debate.stop = yield from steps
        except Ended as end:
            self.debate.stop = end.stop
        return Result(last_text(self.debate, self._writer, published=self._published), self.debate)

    def begin_round(self, calls: int) -> None:
        """Begin a new round and count it.

        Raises OutOfCalls if fewer than `calls` calls are left.
        """
        if not self._has_room(calls):
            raise OutOfCalls
        self.debate.rounds += 1

    def answers(self, questions: Sequence[Question[Parsed]], spare: int = 0) -> Steps[list[Parsed]]:
        """Send all questions at once and return the parsed replies, in order.

        Raises Failed if a question has no readable reply after all attempts; OutOfCalls if fewer than `spare` calls
        would then be left.
        """
        parsed = yield from self.ask(questions, spare)
        readable = [one for one in parsed if one is not None]
        if len(readable) < len(parsed):
            raise Failed
        return readable

    def ask(self, questions: Sequence[Question[Parsed]], spare: int = 0) -> Steps[list[Parsed | None]]:
        """Send all questions at once and return the parsed replies, in order; None for a question without a readable
        reply.

        Raises OutOfCalls if fewer than `spare` calls would then be left.
        """
        parsed: list[Parsed | None] = [None] * len(questions)
        requests = [question.request for question in questions]
        open_ = list(range(len(questions)))
        for _ in range(ATTEMPTS):
            if not open_:
                break
            replies = yield from self._call([requests[at] for at in open_], spare)
            for at, reply in zip(open_, replies, strict=True):
                parsed[at] = self._read(questions[at], reply)
                requests[at] = questions[at].repeated() if isinstance(reply, Reply) else questions[at].request
            sent = [at for at, reply in zip(open_, replies, strict=True) if not isinstance(reply, NoRoomError)]
            open_ = [at for at in sent if parsed[at] is None]
        return parsed

    def _call(self, requests: list[Request], spare: int) -> Steps[list[Reply | ModelError]]:
        if not self._has_room(len(requests) + spare):
            raise OutOfCalls
        replies = yield requests
        self.debate.calls += sum(not isinstance(one, NoRoomError) for one in replies)
        for reply in replies:
            if isinstance(reply, Reply):
                self.debate.prompt_tokens += reply.prompt_tokens
                self.debate.new_tokens += reply.new_tokens
                self.debate.cut_replies += reply.stopped == "length"
            else:
                self.debate.error = str(reply)
        return replies

    def _has_room(self, calls: int) -> bool:
        return self._most_calls is None or self.debate.calls + calls <= self._most_calls

    def _read(self, question: Question[Parsed], reply: Reply | ModelError) -> Parsed | None:
        text = reply.text if isinstance(reply, Reply) else None
        if text is not None and storable(text) != text:
            text = ""  # cannot be stored in a file
        parsed = None if text is None else question.read(text)
        self.debate.unreadable += text is not None and parsed is None
        remarks = None
        if isinstance(parsed, Feedback):
            remarks = parsed.remarks
            self.debate.dropped_quotes += parsed.dropped
        agreed = parsed if isinstance(parsed, bool) else None
        self.debate.transcript.append(Turn(question.request.role, self.debate.rounds, text, remarks, agreed))
        return parsed


class Answer(NamedTuple):
    """A reply, or the error of a request; `seconds` is its share of the batch's time, in proportion to its tokens."""

    reply: Reply | ModelError
    seconds: float


def run_debates(debates: Sequence[DebateSteps], models: Mapping[str, LanguageModel]) -> list[Result]:
    """Run all debates together and return their results, in order; `models` has a model for each agent.

    If a model cannot answer a request, the debate is sent the error.
    Raises FatalError if a model cannot go on.
    """
    results: dict[int, Result] = {}
    waiting: dict[int, list[Request]] = {}
    seconds: dict[int, float] = defaultdict(float)

    def advance(at: int, replies: list[Reply | ModelError] | None) -> None:
        try:
            waiting[at] = next(debates[at]) if replies is None else debates[at].send(replies)
        except StopIteration as end:
            waiting.pop(at, None)
            results[at] = end.value

    for at in range(len(debates)):
        advance(at, None)
    while waiting:
        pending = {at: list(requests) for at, requests in waiting.items()}
        all_answers = iter(batched_replies([one for requests in pending.values() for one in requests], models))
        for at, requests in pending.items():
            answers = [next(all_answers) for _ in requests]
            seconds[at] += sum(one.seconds for one in answers)
            advance(at, [one.reply for one in answers])
    return [results[at]._replace(seconds=seconds[at]) for at in range(len(debates))]


def batched_replies(requests: Sequence[Request], models: Mapping[str, LanguageModel]) -> list[Answer]:
    """Return the answers to all requests, in order; the requests of each agent are sent in one batch.

    Raises FatalError if a model cannot go on.
    """
    answers: dict[int, Answer] = {}
    for role in dict.fromkeys(request.role for request in requests):
        places = [at for at, request in enumerate(requests) if request.role == role]
        began = time.perf_counter()
        replies = with_room(models[role], [requests[at] for at in places])
        shares = _shares(replies, time.perf_counter() - began)
        answers |= {at: Answer(*both) for at, both in zip(places, zip(replies, shares, strict=True), strict=True)}
    return [answers[at] for at in range(len(requests))]


def _shares(replies: Sequence[Reply | ModelError], seconds: float) -> list[float]:
    """Return the seconds of each reply, in proportion to its tokens; equal shares if there are none."""
    tokens = [one.prompt_tokens + one.new_tokens if isinstance(one, Reply) else 0 for one in replies]
    total = sum(tokens)
    return [seconds * one / total if total else seconds / len(tokens) for one in tokens]
