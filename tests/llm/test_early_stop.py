"""Early stopping of beams: the part of the answer that is read equals that of the whole answer."""

from typing import Any

import pytest

from src.llm import Request
from src.llm.protocol import Reading
from src.llm.stopping import Stopping
from src.llm.transformers_backend import TransformersModel
from tests.tiny_models import sentences

pytestmark = pytest.mark.long

PROMPTS = [text[: 20 + 3 * number] for number, text in enumerate(sentences()[::24])]


@pytest.mark.parametrize("ban", [0, 2])
@pytest.mark.parametrize("reading", [Reading(12, "?"), Reading(40, "e"), Reading(25, "\u2603")])
@pytest.mark.parametrize("kind", ["causal", "seq2seq"])
def test_reads_the_same(kind: str, ban: int, reading: Reading, request: pytest.FixtureRequest) -> None:
    model: TransformersModel = request.getfixturevalue(kind)
    way: dict[str, Any] = {"num_beams": 2, "no_repeat_ngram_size": ban, "max_new_tokens": 60}
    whole = model.complete([Request(prompt, **way) for prompt in PROMPTS])
    read = model.complete([Request(prompt, **way, reading=reading) for prompt in PROMPTS])
    assert [reply.text for reply in read] == [reading.of(reply.text) for reply in whole]
    if kind == "causal":
        assert sum(reply.new_tokens for reply in read) < sum(reply.new_tokens for reply in whole)


def test_reading() -> None:
    assert Reading(5, "?").of("ab?cd") == "ab?"
    assert Reading(5, "?").of("abcdefg?") == "abcde"
    assert Reading(2, "?").of("ab?") == "ab"


def test_stop_strings_are_looked_for_where_they_can_have_come(causal: TransformersModel) -> None:
    stopping = Stopping(causal._tokenizer, ("is", "\u00e9"))
    for text in ("this", "caf\u00e9", "the \u00e9", "i s", "ise", "abc"):
        tokens = causal._tokenizer(text)["input_ids"]
        has_stopped = any(stopping.ended(tokens[: end + 1]) for end in range(len(tokens)))
        assert has_stopped == ("is" in text or "\u00e9" in text), text
