"""Which tokens begin which choice, by a tokenizer and by letters."""

import pytest

from src.llm.first_tokens import beginnings, first_tokens


def by_four(text: str) -> str:
    """A tokenizer whose tokens are four characters long."""
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
