"""Debates of many claims, advanced together, so that each model answers in batches."""

from collections.abc import Mapping, Sequence

from src.errors import ModelError
from src.explanation.debate.madr import Asking, Result
from src.llm.protocol import LanguageModel, PartialError, Reply, Request


def together(debates: Sequence[Asking], models: Mapping[str, LanguageModel]) -> list[Result]:
    """In order. `models` are by agent. A request that a model cannot answer is answered by None.

    Raises FatalError.
    """
    results: dict[int, Result] = {}
    waiting: dict[int, list[Request]] = {}

    def advance(at: int, replies: list[Reply | None] | None) -> None:
        try:
            waiting[at] = next(debates[at]) if replies is None else debates[at].send(replies)
        except StopIteration as end:
            waiting.pop(at, None)
            results[at] = end.value

    for at in range(len(debates)):
        advance(at, None)
    while waiting:
        asked = {at: list(requests) for at, requests in waiting.items()}
        replies = iter(answered([one for requests in asked.values() for one in requests], models))
        for at, requests in asked.items():
            advance(at, [next(replies) for _ in requests])
    return [results[at] for at in range(len(debates))]


def answered(requests: Sequence[Request], models: Mapping[str, LanguageModel]) -> list[Reply | None]:
    """In order; the requests of each agent in one batch."""
    found: list[Reply | None] = [None] * len(requests)
    for role in dict.fromkeys(request.role for request in requests):
        places = [at for at, request in enumerate(requests) if request.role == role]
        for at, reply in zip(places, _complete([requests[at] for at in places], models[role]), strict=True):
            found[at] = reply
    return found


def _complete(requests: Sequence[Request], model: LanguageModel) -> Sequence[Reply | None]:
    """What cannot be told apart is asked alone."""
    try:
        return model.complete(requests)
    except PartialError as error:
        return [None if isinstance(reply, ModelError) else reply for reply in error.replies]
    except ModelError:
        return [None] if len(requests) == 1 else [reply for one in requests for reply in _complete([one], model)]
