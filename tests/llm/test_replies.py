import pytest

from src.llm.protocol import Reply, Request
from src.llm.replies import choice_reply, first_stop, text_reply


@pytest.mark.parametrize(
    ("text", "stop", "place"), [("a?b.c", (".", "?"), 1), ("abc", (".",), -1), ("abc", (), -1), ("abc", ("",), -1)]
)
def test_first_stop(text: str, stop: tuple[str, ...], place: int) -> None:
    assert first_stop(text, stop) == place


def test_text_is_cut_before_the_stop_string() -> None:
    assert text_reply(Request("p", stop=("\n",)), " yes\nno", 3, 4, "eos") == Reply(" yes", 3, 4, "stop")


@pytest.mark.parametrize("said", ["", " \n", "\n#rest"])
def test_nothing_said_is_empty(said: str) -> None:
    assert text_reply(Request("p", stop=("#",)), said, 3, 4, "eos") == Reply("", 3, 4, "empty")


def test_first_of_equal_choices_wins() -> None:
    reply = choice_reply(Request("p", choices=("a", "b", "c")), [-2.0, -1.0, -1.0], "label_tokens", 7)
    assert reply == Reply("b", 7, 0, "choices", (-2.0, -1.0, -1.0), "label_tokens")
