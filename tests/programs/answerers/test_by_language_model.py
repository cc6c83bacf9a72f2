"""Prompts of steps, refusals, verdicts from two scores, and steps answered by a scripted language model."""

from collections.abc import Sequence
from math import inf

import pytest

from src.errors import ModelError
from src.llm.protocol import PartialError, Reply, Request
from src.llm.scripted_backend import ScriptedModel, ScriptLine
from src.programs.answerers.by_language_model import (
    CHOICES,
    Forms,
    LanguageModelAnswers,
    Prompts,
    as_answer,
    evidence_text,
    is_refusal,
    scored_verdict,
)
from src.programs.answerers.evidence import GoldEvidence, NoEvidence
from src.programs.functions import Call
from src.programs.records import Function, StepEvidence
from src.records import Sentence, Value
from tests.programs.answers import F, T, U

EVIDENCE = (StepEvidence("A town by a river.", "Lund", 1.0), StepEvidence("It rained.", "https://a.example/x", 0.5))
VERIFY_CALL, QUESTION_CALL = Call(0, Function.VERIFY, "Lund is a town."), Call(0, Function.QUESTION, "Which river?")


def test_the_published_prompts() -> None:
    forms = Forms(Prompts.PUBLISHED)
    shown = "Lund: A town by a river.\nIt rained.\n"
    fact = forms.request(VERIFY_CALL, EVIDENCE)
    assert fact.prompt == f"{shown}Q: Is it true that Lund is a town?\nTrue or False? The answer is:"
    assert (fact.choices, fact.max_new_tokens, fact.temperature, fact.chat) == ((), 8, 0.0, False)
    assert forms.request(VERIFY_CALL, None).prompt == "Q: Is it true that Lund is a town? True or False? The answer is:"
    question = forms.request(QUESTION_CALL, EVIDENCE)
    assert question.prompt == f"{shown}Q: Which river?\nThe answer is:"
    assert (question.choices, question.max_new_tokens) == ((), 32)
    assert forms.request(QUESTION_CALL, None).prompt == "Q: Which river? The answer is:"


def test_the_prompts_of_the_released_code() -> None:
    forms = Forms(Prompts.CODE)
    shown = "Lund: A town by a river.\nIt rained.\n"
    fact = "true that Lund is a town? True or false? The answer is: "
    assert forms.request(VERIFY_CALL, EVIDENCE).prompt == f"{shown}Based on the above information, is it {fact}"
    assert forms.request(VERIFY_CALL, None).prompt == f"Is it {fact}"
    assert forms.request(QUESTION_CALL, EVIDENCE).prompt == f"{shown}Question: Which river?\nThe answer is:"
    assert forms.request(QUESTION_CALL, None).prompt == "Question: Which river?\nThe answer is:"


@pytest.mark.parametrize("call", [VERIFY_CALL, QUESTION_CALL])
def test_a_chat_begins_with_the_evidence_that_is_shared(call: Call) -> None:
    request = Forms(Prompts.CHAT).request(call, EVIDENCE)
    assert request.prompt[: request.shared] == "Lund: A town by a river.\nIt rained."
    assert call.text in request.prompt[request.shared :]
    assert request.chat
    assert request.system
    assert request.choices == (CHOICES if call is VERIFY_CALL else ())
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


REFUSALS = """unknown
Unknown.
None
N/A
Unanswerable
not given
Not Given
Not mentioned in the passages.
Not explicitly stated in the text
Not enough information
Not known from the evidence
Insufficient evidence
Unknown from the text.
No answer
No information is given.
No information about the director
No Information Available
No evidence was found
No details are provided
NO INFORMATION IS GIVEN
I don't know.
I do not know, the text is silent.
I cannot answer this question.
I can't tell from the passages.
I cannot determine that. Ann may have done it.
I don't know. Ann may have done it.
It is unclear who built the mill.
It's impossible to say.
This is unknown.
Cannot be determined
Cannot be answered from the text
There is no information about this.
There is no mention of Ann.
There's no specific information in the text
There is not enough evidence
There is no director named in the passage.
There is no way to know.
It is not mentioned in the text.
The answer isn't given.
The name of the river is not stated.
The director of the film is not explicitly mentioned
The evidence does not say.
The provided text does not mention a river.
These passages do not directly name him
Is not known
It does not say""".splitlines()

ANSWERS = """I Don't Want to Miss a Thing
This Is Not America
The Sky Is Not Blue
There Is No Greater Love
Not Given Lightly
Not given lightly
I Don't Know How to Go
I Can't Tell You Why
It Is Not Known to Anyone
It's not far
The sky is not blue
There is no greater love
Unknown Ways
The Unknown
None of Them Sang
No Doubt
No Answer Came
No
It
The mill is not old. No information is given.
Nothing
Not a Mill
Cannot Be Sung
It Does Not Matter
Ann, who is not known
The Not Given""".splitlines()


@pytest.mark.parametrize("text", [*REFUSALS, "I don\u2019t know who directed it"])
def test_a_whole_refusal_is_no_answer(text: str) -> None:
    assert is_refusal(text)


@pytest.mark.parametrize("text", ANSWERS)
def test_what_begins_or_sounds_like_a_refusal_is_an_answer(text: str) -> None:
    assert not is_refusal(text)


@pytest.mark.parametrize(
    ("scores", "value", "confidence"),
    [((-0.5, -0.5), T, 0.5), ((-1.0, -inf), T, 1.0), ((-inf, -1.0), F, 1.0), ((-inf, -inf), U, 0.0)],
)
def test_the_likelier_of_two(scores: tuple[float, float], value: Value, confidence: float) -> None:
    assert scored_verdict(Reply("", 1, 1, "choices", scores))[:2] == (value, confidence)


GOLD = GoldEvidence({0: [Sentence("A town.", "Lund")]})
SAID = Reply("True", 9, 2, "choices", (-0.1, -2.0))  # by two calls
FACT, ASKED = Call(0, Function.VERIFY, "A."), Call(0, Function.QUESTION, "Who?")


def scripted(*lines: tuple[str, str | list[float]]) -> ScriptedModel:
    return ScriptedModel([ScriptLine(role, output) for role, output in lines])


def test_facts_by_the_likelier_choice_and_questions_in_words() -> None:
    model = scripted(("verify", [-1.0, -2.0]), ("question", "The answer is: Ann."), ("verify", "False"))
    answered = LanguageModelAnswers(model, GOLD, Forms(Prompts.CHAT)).answer(
        [FACT, ASKED, Call(0, Function.VERIFY, "B.")]
    )
    assert [one.value for one in answered] == [Value.TRUE, "Ann", Value.FALSE]
    assert answered[0].confidence == pytest.approx(0.7311, abs=1e-4)
    assert [one.model_calls for one in answered] == [1, 1, 1]
    assert all(one.evidence[0].url == "Lund" for one in answered)


@pytest.mark.parametrize(
    ("scores", "threshold", "unsure", "value"),
    [
        ([-1.0, -1.2], 0.5, 0.0, Value.TRUE), ([-1.0, -1.2], 0.6, 0.0, Value.FALSE),
        ([-1.0, -1.2], 0.5, 0.1, Value.UNKNOWN), ([-9.0, -0.1], 0.5, 0.4, Value.FALSE),
        ([0.0, -5000.0], 0.5, 0.0, Value.TRUE), ([-5000.0, 0.0], 0.5, 0.0, Value.FALSE),
    ],
)  # fmt: skip
def test_threshold_and_doubt(scores: list[float], threshold: float, unsure: float, value: Value) -> None:
    answers = LanguageModelAnswers(scripted(("verify", scores)), GOLD, Forms(Prompts.CHAT), threshold, unsure)
    assert answers.answer([FACT])[0].value is value


def test_a_step_without_evidence_is_unknown_and_costs_nothing() -> None:
    model = scripted()
    (answer,) = LanguageModelAnswers(model, GOLD, Forms(Prompts.CHAT)).answer([Call(1, Function.VERIFY, "A.")])
    assert (answer.value, answer.model_calls, model.asked) == (Value.UNKNOWN, 0, [])
    closed = LanguageModelAnswers(scripted(("verify", "True")), NoEvidence(), Forms(Prompts.CHAT))
    assert closed.answer([Call(1, Function.VERIFY, "A.")])[0].value is Value.TRUE


class Failing(ScriptedModel):
    """Times out if a prompt contains Ben."""

    def complete(self, requests: Sequence[Request]) -> list[Reply]:
        if any("Ben" in request.prompt for request in requests):
            raise ModelError("timed out")
        return super().complete(requests)


def test_a_model_that_fails_in_the_middle_fails_for_that_step_alone() -> None:
    model = Failing([ScriptLine("verify", "True"), ScriptLine("question", " "), ScriptLine("verify", "False")])
    answers = LanguageModelAnswers(model, GOLD, Forms(Prompts.CHAT))
    calls = [FACT, Call(0, Function.VERIFY, "Ben sang."), ASKED, Call(0, Function.VERIFY, "B.")]
    answered = answers.answer(calls)
    assert [one.value for one in answered] == [Value.TRUE, Value.UNKNOWN, None, Value.FALSE]
    assert [one.failure for one in answered] == [
        "", "Verify Ben sang.: timed out", "Question Who?: the model returned nothing", "",
    ]  # fmt: skip


class Counting(Failing):
    """Records the number of requests in each batch."""

    sizes: tuple[int, ...] = ()

    def complete(self, requests: Sequence[Request]) -> list[Reply]:
        self.sizes += (len(requests),)
        return super().complete(requests)


def test_what_fails_costs_one_more_round() -> None:
    model = Counting([ScriptLine("verify", "True")] * 7)
    calls = [Call(0, Function.VERIFY, f"{n}.") for n in range(7)] + [Call(0, Function.VERIFY, "Ben sang.")]
    answered = LanguageModelAnswers(model, GOLD, Forms(Prompts.CHAT)).answer(calls)
    assert [one.value for one in answered] == [Value.TRUE] * 7 + [Value.UNKNOWN]
    assert model.sizes == (8, *[1] * 8)
    assert [one.model_calls for one in answered] == [2] * 8


class Telling(Counting):
    """Raises an error with the reply or failure of each request."""

    def complete(self, requests: Sequence[Request]) -> list[Reply]:
        self.sizes += (len(requests),)
        raise PartialError([ModelError("timed out") if "Ben" in one.prompt else SAID for one in requests])


def test_requests_answered_in_a_partial_error_are_not_repeated() -> None:
    model = Telling([])
    answered = LanguageModelAnswers(model, GOLD, Forms(Prompts.CHAT)).answer(
        [FACT, Call(0, Function.VERIFY, "Ben sang.")]
    )
    assert [(one.value, one.model_calls) for one in answered] == [(Value.TRUE, 2), (Value.UNKNOWN, 1)]
    assert answered[1].failure == "Verify Ben sang.: timed out"
    assert model.sizes == (2,)


def test_confidence_is_that_of_the_value() -> None:
    answers = LanguageModelAnswers(scripted(("verify", [-1.0, -1.4])), GOLD, Forms(Prompts.CHAT), threshold=0.7)
    (answer,) = answers.answer([FACT])
    assert (answer.value, round(answer.confidence, 3)) == (Value.FALSE, 0.401)
    nothing = scripted(("verify", [float("-inf"), float("-inf")]))
    (none,) = LanguageModelAnswers(nothing, GOLD, Forms(Prompts.CHAT)).answer([FACT])
    assert (none.value, none.failure) == (Value.UNKNOWN, "Verify A.: the model scored none of the choices")


def test_the_evidence_is_a_shared_prefix_only_if_requested() -> None:
    model = scripted(("verify", "True"), ("verify", "True"))
    LanguageModelAnswers(model, GOLD, Forms(Prompts.CHAT)).answer([FACT])
    LanguageModelAnswers(model, GOLD, Forms(Prompts.CHAT), shared=False).answer([FACT])
    assert [request.shared for request in model.asked] == [len("Lund: A town."), 0]
