"""Concurrent debates of many claims: the requests of all debates are sent to each model in batches."""

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from src.errors import ModelError
from src.explanation.debate.conversation import Asking, Result
from src.llm.protocol import LanguageModel, Reply, Request
from src.llm.replies import with_room


class Answer(NamedTuple):
    """A reply, or the error of a request; `seconds` is its share of the batch's time, by tokens."""

    reply: Reply | ModelError
    seconds: float


def together(debates: Sequence[Asking], models: Mapping[str, LanguageModel]) -> list[Result]:
    """Run all debates and return their results, in order; `models` are by agent.

    A request that a model cannot answer gives its debate the error.
    Raises: FatalError if a model cannot go on.
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
        asked = {at: list(requests) for at, requests in waiting.items()}
        found = iter(answered([one for requests in asked.values() for one in requests], models))
        for at, requests in asked.items():
            answers = [next(found) for _ in requests]
            seconds[at] += sum(one.seconds for one in answers)
            advance(at, [one.reply for one in answers])
    return [results[at]._replace(seconds=seconds[at]) for at in range(len(debates))]


def answered(requests: Sequence[Request], models: Mapping[str, LanguageModel]) -> list[Answer]:
    """Return the answers in order; the requests of each agent are sent in one batch.

    Raises: FatalError if a model cannot go on.
    """
    found: dict[int, Answer] = {}
    for role in dict.fromkeys(request.role for request in requests):
        places = [at for at, request in enumerate(requests) if request.role == role]
        began = time.perf_counter()
        replies = with_room(models[role], [requests[at] for at in places])
        shares = _shares(replies, time.perf_counter() - began)
        found |= {at: Answer(*both) for at, both in zip(places, zip(replies, shares, strict=True), strict=True)}
    return [found[at] for at in range(len(requests))]


def _shares(replies: Sequence[Reply | ModelError], seconds: float) -> list[float]:
    """Return the seconds of each reply, in proportion to its tokens; equal shares if there are none."""
    tokens = [one.prompt_tokens + one.new_tokens if isinstance(one, Reply) else 0 for one in replies]
    whole = sum(tokens)
    return [seconds * one / whole if whole else seconds / len(tokens) for one in tokens]
