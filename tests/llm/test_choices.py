import math

import pytest

from src.errors import ModelError
from src.llm.choices import choice_scores, letter_requests, letter_scores
from src.llm.protocol import Request


def test_set_is_asked_twice_in_opposite_order() -> None:
    request = Request(
        "Is it so?", choices=(" yes", " no", " maybe"), stop=("x",), temperature=0.7, max_length=9, seed=3
    )
    forward, reverse = letter_requests(request)
    assert "A. yes\nB. no\nC. maybe\n" in forward.prompt
    assert "A. maybe\nB. no\nC. yes\n" in reverse.prompt
    assert forward.prompt.startswith("Is it so?")
    assert forward.prompt.endswith("\nAnswer:")
    assert forward.max_new_tokens == 1
    assert (forward.choices, forward.stop, forward.temperature, forward.max_length) == ((), (), 0.0, None)


def test_chat_prompt_leaves_the_answer_to_the_template() -> None:
    forward, _ = letter_requests(Request("Is it so?", choices=("yes", "no"), chat=True, system="Be brief."))
    assert forward.prompt.endswith("one option only.")
    assert (forward.chat, forward.system) == (True, "Be brief.")


def test_letter_with_and_without_space_adds_up() -> None:
    scores = letter_scores(2, {"A": math.log(0.25), " A": math.log(0.5), "the": -9.0})
    assert scores == pytest.approx([math.log(0.75), -9.0])


def test_a_bias_for_the_first_place_cancels() -> None:
    always_first = {"A": -0.1, "B": -3.0}
    assert choice_scores(2, always_first, always_first) == pytest.approx([-1.55, -1.55])
    assert choice_scores(2, {"A": -0.1, "B": -3.0}, {"A": -3.0, "B": -0.1}) == pytest.approx([-0.1, -3.0])


def test_no_letter_at_all_is_an_error() -> None:
    with pytest.raises(ModelError, match="none of the option letters A, B"):
        letter_scores(2, {"the": -1.0})


def test_more_choices_than_letters_is_an_error() -> None:
    with pytest.raises(ModelError, match="27 choices"):
        letter_requests(Request("p", choices=tuple(map(str, range(27)))))
