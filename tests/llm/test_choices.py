"""Scores of a closed set by first tokens and by option letters."""

import math

import msgspec
import pytest

from src.errors import ModelError
from src.llm.choices import (
    Likeliest,
    beginnings,
    choice_scores,
    first_tokens,
    letter_requests,
    letter_scores,
    score_choices,
)
from src.llm.protocol import Request


def test_a_set_is_scored_twice_in_opposite_order() -> None:
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


class FixedTokens:
    """Engine that returns the same likeliest tokens after every prompt."""

    def __init__(self, *, has_probabilities: bool = True, **tokens: float) -> None:
        self.tokens = {token.replace("_", " "): score for token, score in tokens.items()}
        self.has_probabilities = has_probabilities
        self.requests: list[Request] = []

    def __call__(self, request: Request) -> Likeliest:
        self.requests.append(request)
        return Likeliest(self.tokens, 10, self.has_probabilities)


FIRST = Request("Is it so?", choices=("True", "False"), first_tokens=True, stop=("x",), max_length=9, shared=5)


def test_first_tokens_take_one_call_and_add_up() -> None:
    engine = FixedTokens(true=math.log(0.125), _True=math.log(0.5), the=-9.0)
    reply = score_choices(FIRST, engine, {"true": 0, " True": 0, "False": 1})
    assert (reply.text, reply.method, reply.prompt_tokens, reply.new_tokens) == ("True", "first_tokens", 10, 1)
    assert reply.scores == pytest.approx((math.log(0.625), -9.0))
    (sent,) = engine.requests
    assert sent == Request("Is it so?", max_new_tokens=1, shared=5)


def test_letters_where_no_first_token_is_likely() -> None:
    engine = FixedTokens(A=-0.5, B=-1.5)
    reply = score_choices(FIRST, engine, {"True": 0, "False": 1})
    assert (reply.method, reply.prompt_tokens, reply.new_tokens, len(engine.requests)) == ("option_letters", 30, 3, 3)


@pytest.mark.parametrize(
    ("request_", "begin"), [(FIRST, {}), (msgspec.structs.replace(FIRST, first_tokens=False), None)]
)
def test_letters_at_once_if_choices_begin_alike_or_were_requested_so(
    request_: Request, begin: dict[str, int] | None
) -> None:
    engine = FixedTokens(A=-0.5, B=-1.5, True_=-0.1)
    reply = score_choices(request_, engine, begin)
    assert (reply.method, reply.new_tokens, len(engine.requests)) == ("option_letters", 2, 2)


def test_no_letter_at_all_is_an_error() -> None:
    with pytest.raises(ModelError, match="none of the option letters A, B"):
        letter_scores(2, {"the": -1.0})


def test_more_choices_than_letters_is_an_error() -> None:
    with pytest.raises(ModelError, match="27 choices"):
        letter_requests(Request("p", choices=tuple(map(str, range(27)))))


def by_four(text: str) -> str:
    """Return the first token of a text, for a tokenizer whose tokens have four characters."""
    return text[:4]


def test_a_choice_begins_with_or_without_a_space_and_in_either_case() -> None:
    assert first_tokens(("True", "false"), by_four) == {
        **{"True": 0, " Tru": 0, "true": 0, " tru": 0},
        **{"fals": 1, " fal": 1, "Fals": 1, " Fal": 1},
    }


@pytest.mark.parametrize("choices", [("supported", "supplied"), ("US", "us"), ("yes", "yes")])
def test_choices_that_begin_alike_have_none(choices: tuple[str, ...]) -> None:
    assert first_tokens(choices, lambda text: text[:3]) == {}


def test_a_token_of_white_space_begins_nothing() -> None:
    split = first_tokens(("7", "8"), lambda text: text[:1])
    assert split == {"7": 0, "8": 1}
    assert first_tokens(("7", ""), lambda text: text[:1]) == {}


def test_letters_tell_where_no_tokenizer_does() -> None:
    tokens = ["Ref", " ref", "Refuted", "No", " NOT", "Con", "R", "", " ", "Refusal", "A"]
    choices = (" Refuted", "Not enough", "Conflicting", "A cat")
    assert beginnings(choices, tokens) == {"Ref": 0, " ref": 0, "Refuted": 0, " NOT": 1, "Con": 2, "A": 3}
    assert beginnings(("Not enough", "No"), ["No", "Not"]) == {"No": 1, "Not": 0}
    assert beginnings(("Supported", "Supplied"), ["Sup", "Suppo"]) == {"Suppo": 0}
