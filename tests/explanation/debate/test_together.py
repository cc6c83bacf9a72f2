"""Requests of many debates, a batch for each agent, and whose time they took."""

from collections.abc import Sequence

import pytest

from src.errors import ModelError
from src.explanation.debate.conversation import batched_replies
from src.llm.protocol import PartialError, Reply, Request
from src.llm.scripted_backend import ScriptedModel


class Counting:
    """Answers with as many tokens as the prompt has words; cannot answer an empty prompt."""

    def __init__(self) -> None:
        self.info, self.batches = ScriptedModel([]).info, list[int]()

    def complete(self, requests: Sequence[Request]) -> list[Reply]:
        self.batches.append(len(requests))
        found = [
            Reply("x", len(one.prompt.split()), 0, "eos") if one.prompt else ModelError("empty") for one in requests
        ]
        if any(isinstance(one, ModelError) for one in found):
            raise PartialError(found)
        return [one for one in found if isinstance(one, Reply)]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]


def test_each_agent_answers_in_one_batch() -> None:
    model = Counting()
    found = batched_replies(
        [Request("a", role="one"), Request("b c", role="two"), Request("", role="one")], {"one": model, "two": model}
    )
    assert model.batches == [2, 1]
    assert [isinstance(one.reply, Reply) and one.reply.prompt_tokens for one in found] == [1, 2, False]
    assert str(found[2].reply) == "empty"


def test_a_batch_takes_its_time_by_tokens() -> None:
    found = batched_replies([Request("a b c"), Request("a"), Request("")], {"model": Counting()})
    assert found[0].seconds == pytest.approx(3 * found[1].seconds)
    assert (found[0].seconds > 0, found[2].seconds) == (True, 0)
    assert batched_replies([Request("")], {"model": Counting()})[0].seconds > 0
