import math

import msgspec
import pytest

from src.errors import ModelError
from src.llm.choices import Likeliest, choice_scores, letter_requests, letter_scores, score_choices
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


class Telling:
    """An engine that writes the same likeliest tokens behind every prompt."""

    def __init__(self, *, told: bool = True, **tokens: float) -> None:
        self.tokens, self.told = {token.replace("_", " "): score for token, score in tokens.items()}, told
        self.asked: list[Request] = []

    def __call__(self, request: Request) -> Likeliest:
        self.asked.append(request)
        return Likeliest(self.tokens, 10, self.told)


FIRST = Request("Is it so?", choices=("True", "False"), first_tokens=True, stop=("x",), max_length=9, shared=5)


def test_first_tokens_take_one_call_and_add_up() -> None:
    engine = Telling(true=math.log(0.125), _True=math.log(0.5), the=-9.0)
    reply = score_choices(FIRST, engine, {"true": 0, " True": 0, "False": 1})
    assert (reply.text, reply.method, reply.prompt_tokens, reply.new_tokens) == ("True", "first_tokens", 10, 1)
    assert reply.scores == pytest.approx((math.log(0.625), -9.0))
    (asked,) = engine.asked
    assert asked == Request("Is it so?", max_new_tokens=1, shared=5)


def test_letters_where_no_first_token_is_likely() -> None:
    engine = Telling(A=-0.5, B=-1.5)
    reply = score_choices(FIRST, engine, {"True": 0, "False": 1})
    assert (reply.method, reply.prompt_tokens, reply.new_tokens, len(engine.asked)) == ("option_letters", 30, 3, 3)


@pytest.mark.parametrize(
    ("request_", "begin"), [(FIRST, {}), (msgspec.structs.replace(FIRST, first_tokens=False), None)]
)
def test_letters_at_once_where_choices_begin_alike_or_none_other_was_asked_for(
    request_: Request, begin: dict[str, int] | None
) -> None:
    engine = Telling(A=-0.5, B=-1.5, True_=-0.1)
    reply = score_choices(request_, engine, begin)
    assert (reply.method, reply.new_tokens, len(engine.asked)) == ("option_letters", 2, 2)


def test_no_letter_at_all_is_an_error() -> None:
    with pytest.raises(ModelError, match="none of the option letters A, B"):
        letter_scores(2, {"the": -1.0})


def test_more_choices_than_letters_is_an_error() -> None:
    with pytest.raises(ModelError, match="27 choices"):
        letter_requests(Request("p", choices=tuple(map(str, range(27)))))
