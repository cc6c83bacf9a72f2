"""Requests without room in the context fail alone, with what is missing; nothing is cut."""

from collections.abc import Sequence

import msgspec

from src.llm.protocol import Reply, Request
from src.llm.room import TEMPLATE, NoRoomError, with_room
from src.llm.scripted_backend import ScriptedModel, ScriptLine


def model(context: int | None) -> ScriptedModel:
    info = msgspec.structs.replace(ScriptedModel([]).info, context=context)
    return ScriptedModel([ScriptLine("model", "yes")] * 2, info)


def texts(replies: Sequence[object]) -> list[str]:
    return [one.text if isinstance(one, Reply) else str(one) for one in replies]


def test_a_request_without_room_fails_alone() -> None:
    short, long = Request("a b", max_new_tokens=8), Request("a b c", max_new_tokens=8)
    replies = with_room(model(TEMPLATE + 10), [short, long, short])
    assert [isinstance(one, NoRoomError) for one in replies] == [False, True, False]
    found = texts(replies)
    assert (found[0], found[2]) == ("yes", "yes")
    assert found[1] == (
        "scripted has not enough context: 74 tokens, where model needs about 75 for prompt and answer; "
        "take a model with more, or fewer --source_words"
    )


def test_an_unknown_context_has_room() -> None:
    assert texts(with_room(model(None), [Request("a " * 9999)])) == ["yes"]
