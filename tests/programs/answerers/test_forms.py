"""The prompts of steps: the paper's, the released code's, and chats with the evidence first."""

import pytest

from src.programs.answerers.by_language_model import CHOICES, Forms, Prompts, as_answer, evidence_text
from src.programs.functions import Call
from src.programs.records import Function, StepEvidence

EVIDENCE = (StepEvidence("A town by a river.", "Lund", 1.0), StepEvidence("It rained.", "https://a.example/x", 0.5))
FACT, ASKED = Call(0, Function.VERIFY, "Lund is a town."), Call(0, Function.QUESTION, "Which river?")


def test_the_published_prompts() -> None:
    forms = Forms(Prompts.PUBLISHED)
    shown = "Lund: A town by a river.\nIt rained.\n"
    fact = forms.request(FACT, EVIDENCE)
    assert fact.prompt == f"{shown}Q: Is it true that Lund is a town?\nTrue or False? The answer is:"
    assert (fact.choices, fact.max_new_tokens, fact.temperature, fact.chat) == ((), 8, 0.0, False)
    assert forms.request(FACT, None).prompt == "Q: Is it true that Lund is a town? True or False? The answer is:"
    asked = forms.request(ASKED, EVIDENCE)
    assert asked.prompt == f"{shown}Q: Which river?\nThe answer is:"
    assert (asked.choices, asked.max_new_tokens) == ((), 32)
    assert forms.request(ASKED, None).prompt == "Q: Which river? The answer is:"


def test_the_prompts_of_the_released_code() -> None:
    forms = Forms(Prompts.CODE)
    shown = "Lund: A town by a river.\nIt rained.\n"
    fact = "true that Lund is a town? True or false? The answer is: "
    assert forms.request(FACT, EVIDENCE).prompt == f"{shown}Based on the above information, is it {fact}"
    assert forms.request(FACT, None).prompt == f"Is it {fact}"
    assert forms.request(ASKED, EVIDENCE).prompt == f"{shown}Question: Which river?\nThe answer is:"
    assert forms.request(ASKED, None).prompt == "Question: Which river?\nThe answer is:"


@pytest.mark.parametrize("call", [FACT, ASKED])
def test_a_chat_begins_with_the_evidence_that_is_shared(call: Call) -> None:
    request = Forms(Prompts.CHAT).request(call, EVIDENCE)
    assert request.prompt[: request.shared] == "Lund: A town by a river.\nIt rained."
    assert call.text in request.prompt[request.shared :]
    assert request.chat
    assert request.system
    assert request.choices == (CHOICES if call is FACT else ())
    assert (request.temperature, request.max_new_tokens) == (0.0, 32)


def test_evidence_is_cut_at_so_many_words() -> None:
    assert evidence_text(EVIDENCE, 4) == "Lund: A town by"
    assert evidence_text(EVIDENCE, 7) == "Lund: A town by a river.\nIt"


def test_braces_and_dollars_in_a_step_are_text() -> None:
    odd = Call(0, Function.QUESTION, "Who pays $text for {answer_2}?")
    assert "Who pays $text for {answer_2}?" in Forms(Prompts.CHAT).request(odd, EVIDENCE).prompt


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Höje", "Höje"), (" The answer is: Höje. ", "Höje"), ('Answer: "Höje"', "Höje"), ("\n\nHöje\nbecause", "Höje"),
        ("unknown", None), ("Unknown.", None), ("It is not mentioned in the text.", None), ("", None), ("...", None),
        ("I don't know.", None), ("There is no information about this.", None), ("The evidence does not say.", None),
        ("The passages do not mention the director.", None), ("It does not say", None),
        ("The answer isn't given.", None),
        ("Answers in Genesis", "Answers in Genesis"), ("Answering the Call", "Answering the Call"),
        ("The answer is Höje", "Höje"), ("The Who", "The Who"), ("It", "It"), ("No Doubt", "No Doubt"),
        ("None", None), ("Not stated", None), ("No", "No"),
        ("I don't know. The text ends.", None), ("Unknown Ways", "Unknown Ways"), ("1990", "1990"),
    ],
)  # fmt: skip
def test_what_a_model_wrote_as_an_answer(text: str, answer: str | None) -> None:
    assert as_answer(text) == answer
