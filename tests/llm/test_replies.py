"""Replies: cut at stop strings, the best choice, and requests without room that fail alone."""

from collections.abc import Sequence

import msgspec
import pytest

from src.llm.protocol import Reply, Request
from src.llm.replies import TEMPLATE, NoRoomError, choice_reply, first_stop, text_reply, with_room
from src.llm.scripted_backend import ScriptedModel, ScriptLine


@pytest.mark.parametrize(
    ("text", "stop", "place"), [("a?b.c", (".", "?"), 1), ("abc", (".",), -1), ("abc", (), -1), ("abc", ("",), -1)]
)
def test_first_stop(text: str, stop: tuple[str, ...], place: int) -> None:
    assert first_stop(text, stop) == place


def test_text_is_cut_before_the_stop_string() -> None:
    assert text_reply(Request("p", stop=("\n",)), " yes\nno", 3, 4, "eos") == Reply(" yes", 3, 4, "stop")


@pytest.mark.parametrize("text", ["", " \n", "\n#rest"])
def test_a_blank_answer_is_empty(text: str) -> None:
    assert text_reply(Request("p", stop=("#",)), text, 3, 4, "eos") == Reply("", 3, 4, "empty")


def test_first_of_equal_choices_wins() -> None:
    reply = choice_reply(Request("p", choices=("a", "b", "c")), [-2.0, -1.0, -1.0], "label_tokens", 7)
    assert reply == Reply("b", 7, 0, "choices", (-2.0, -1.0, -1.0), "label_tokens")


def model(context: int | None) -> ScriptedModel:
    info = msgspec.structs.replace(ScriptedModel([]).info, context=context)
    return ScriptedModel([ScriptLine("model", "yes")] * 2, info)


def texts(replies: Sequence[object]) -> list[str]:
    return [one.text if isinstance(one, Reply) else str(one) for one in replies]


def test_a_request_without_room_fails_alone() -> None:
    short, long = Request("a b", max_new_tokens=8), Request("a b c", max_new_tokens=8)
    replies = with_room(model(TEMPLATE + 10), [short, long, short])
    assert [isinstance(one, NoRoomError) for one in replies] == [False, True, False]
    shown = texts(replies)
    assert (shown[0], shown[2]) == ("yes", "yes")
    assert shown[1] == (
        "scripted has not enough context: 74 tokens, where model needs about 75 for prompt and answer; "
        "take a model with more, or give it less to read"
    )


def test_an_unknown_context_has_room() -> None:
    assert texts(with_room(model(None), [Request("a " * 9999)])) == ["yes"]
