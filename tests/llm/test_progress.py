"""A listener hears of every answer, and may end the call."""

import pytest

from src.errors import Cancelled
from src.llm import Request
from src.llm.progress import answered, listening
from src.llm.transformers_backend import TransformersModel
from tests.tiny_models import sentences

ASKED = [Request(text[:30], max_new_tokens=2 + place) for place, text in enumerate(sentences()[:4])]


def test_every_answer_is_heard(causal: TransformersModel) -> None:
    heard: list[int] = []
    with listening(heard.append):
        replies = causal.complete(ASKED)
    assert (sum(heard), len(replies)) == (4, 4)
    assert heard.count(0) > 0


def test_listening_changes_no_answer(causal: TransformersModel) -> None:
    with listening(lambda _: None):
        heard = causal.complete(ASKED)
    assert heard == causal.complete(ASKED)


def test_what_a_listener_raises_ends_the_call(causal: TransformersModel) -> None:
    def enough(number: int) -> None:
        raise Cancelled("enough")

    with pytest.raises(Cancelled), listening(enough):
        causal.complete(ASKED)
    answered(1)  # nobody listens any more
