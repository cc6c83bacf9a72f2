"""Answerer by a language model: facts are true or false, questions get a few words.

A step without any passages found is unknown and costs no call. If a model fails for some requests of a list, their
steps are unknown and report the reason. If the error does not say which requests failed, each is sent once more alone.

Limitations: retries inside an engine, as after a timeout of a server, are not counted as calls.
"""

from collections.abc import Sequence
from typing import NamedTuple

from src.errors import ModelError
from src.llm.protocol import LanguageModel, PartialError, Reply, Request
from src.programs.answerers.evidence import EvidenceSource, Found
from src.programs.answerers.forms import Forms, as_answer, first_line
from src.programs.answerers.two_choices import told
from src.programs.functions import Answered, Call, StepValue, as_value, unanswered
from src.programs.records import Function
from src.records import Value


class Asked(NamedTuple):
    """The result of a request, and the number of calls to the engine for it."""

    reply: Reply | ModelError
    calls: int


class LanguageModelAnswers:
    """Answers steps with a language model.

    A fact is true from the probability `threshold` on, and unknown within `unsure` of it. The model reads the first
    `read` of the passages found; None means all. `shared` is True if all steps of a claim have its evidence.
    """

    def __init__(
        self, model: LanguageModel, source: EvidenceSource, forms: Forms, threshold: float = 0.5, unsure: float = 0.0,
        read: int | None = None, *, shared: bool = True,
    ) -> None:  # fmt: skip
        self._model, self._source, self._forms = model, source, forms
        self._threshold, self._unsure, self._read, self._shared = threshold, unsure, read, shared

    def answer(self, calls: Sequence[Call]) -> list[Answered]:
        """Return an answer for each call. Raises StoreError when a claim's evidence cannot be read."""
        found = self._source.find(calls)
        asked = [place for place, evidence in enumerate(found) if evidence is None or evidence]
        requests = [
            self._forms.request(calls[place], self._shown(found[place]), shared=self._shared) for place in asked
        ]
        replies = complete_each(self._model, requests)
        by_place = dict(zip(asked, replies, strict=True))
        return [
            self._answered(call, found[place] or (), by_place[place]) if place in by_place
            else unanswered(call.function)
            for place, call in enumerate(calls)
        ]  # fmt: skip

    def _shown(self, found: Found | None) -> Found | None:
        return None if found is None else found[: self._read]

    def _answered(self, call: Call, evidence: Found, asked: Asked) -> Answered:
        reply, calls = asked
        if isinstance(reply, ModelError):
            named = f"{call.function} {call.text}: {reply}"
            return unanswered(call.function, evidence, model_calls=calls, failure=named)
        value, confidence, failure = self._understood(call.function, reply)
        named = failure and f"{call.function} {call.text}: {failure}"
        written = call.function is Function.VERIFY and not self._forms.scores
        return Answered(
            value, evidence, confidence, calls, reply.prompt_tokens, reply.new_tokens, named,
            unread=written and value is Value.UNKNOWN,
        )  # fmt: skip

    def _understood(self, function: Function, reply: Reply) -> tuple[StepValue, float, str]:
        """Return value, confidence and failure."""
        if function is Function.VERIFY and self._forms.scores:
            return told(reply, self._threshold, self._unsure)
        nothing = self._forms.scores and reply.stopped == "empty"  # if published, an empty reply is an unknown answer
        failure = "the model returned nothing" if nothing else ""
        read = as_value(first_line(reply.text)) if function is Function.VERIFY else as_answer(reply.text)
        return read, 0.0, failure


def complete_each(model: LanguageModel, requests: Sequence[Request]) -> list[Asked]:
    """Return the result of each request.

    All are sent together. If that fails and the error does not say for which, each is sent once more alone.
    """
    if not requests:
        return []
    try:
        return [Asked(reply, reply.calls) for reply in model.complete(requests)]
    except PartialError as error:
        return [Asked(one, _calls(one)) for one in error.replies]
    except ModelError as error:
        if len(requests) == 1:
            return [Asked(error, 1)]
        again = [one for request in requests for one in complete_each(model, [request])]
        return [Asked(reply, calls + 1) for reply, calls in again]


def _calls(reply: Reply | ModelError) -> int:
    return reply.calls if isinstance(reply, Reply) else 1
