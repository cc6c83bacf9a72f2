"""A batch of which some requests may fail: each has its reply or its error."""

from collections.abc import Sequence

from src.errors import ModelError
from src.llm.protocol import LanguageModel, PartialError, Reply, Request


def each_reply(model: LanguageModel, requests: Sequence[Request]) -> list[Reply | ModelError]:
    """In order. Where the model does not tell which request failed, each is asked again alone. Raises FatalError."""
    try:
        return [*model.complete(requests)]
    except PartialError as error:
        return [*error.replies]
    except ModelError as error:
        return [error] if len(requests) == 1 else [reply for one in requests for reply in each_reply(model, [one])]
