"""What a language model is shown of a claim and its passages."""

from src.models.evidence_rows import MAX_PAIRS
from src.models.passage_prompt import ENTAILMENT_PROMPT, VERDICT_PROMPT, prompt


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
    assert text.count("wet") == ENTAILMENT_PROMPT.words - 2
    assert text.count("dry") == 2


def test_the_first_passages_count() -> None:
    assert prompt(("It rained.", [("", "wet")] * (MAX_PAIRS + 3))).count("wet") == MAX_PAIRS


def test_without_passages() -> None:
    assert "Passage: none" in prompt(("It rained.", []))


def test_prompt_for_a_verdict() -> None:
    asked = ("It rained.", [("", "It was wet.")])
    last = prompt(asked, VERDICT_PROMPT).splitlines()[-1]
    assert last == "Judging by the passages, is the claim True, False, Unknown or Mixed?"
