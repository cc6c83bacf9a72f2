"""Batches in which some requests may fail: each request gets its reply or its error."""

from collections.abc import Sequence

from src.errors import ModelError
from src.llm.protocol import LanguageModel, PartialError, Reply, Request


def each_reply(model: LanguageModel, requests: Sequence[Request]) -> list[Reply | ModelError]:
    """Return the replies or errors in order. Raises FatalError as the model does.

    If the model does not report which request failed, each is asked again alone.
    """
    try:
        return [*model.complete(requests)]
    except PartialError as error:
        return [*error.replies]
    except ModelError as error:
        return [error] if len(requests) == 1 else [reply for one in requests for reply in each_reply(model, [one])]
