"""What a language model is shown of a claim and its passages."""

from src.models.evidence_rows import MAX_PAIRS
from src.models.passage_prompt import PASSAGE_WORDS, prompt


def test_prompt() -> None:
    asked = ("It rained.", [("", "It was wet."), ("Weather", "Rain fell."), ("Did it rain?", "Yes.")])
    assert prompt(asked).splitlines() == [
        "Passage: It was wet.",
        "Passage: Weather: Rain fell.",
        "Passage: Did it rain? Yes.",
        "Claim: It rained.",
        "Judging by the passage, is the claim True, False or Unknown?",
    ]


def test_long_passages_are_cut_and_short_ones_stay_whole() -> None:
    text = prompt(("It rained.", [("", "wet " * 900), ("", "dry dry")]))
    assert text.count("wet") == PASSAGE_WORDS - 2
    assert text.count("dry") == 2


def test_the_first_passages_count() -> None:
    assert prompt(("It rained.", [("", "wet")] * (MAX_PAIRS + 3))).count("wet") == MAX_PAIRS


def test_without_passages() -> None:
    assert "Passage: none" in prompt(("It rained.", []))
