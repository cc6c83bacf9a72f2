"""Steps answered by a scripted language model: by scores, and with failures that stay where they are."""

from collections.abc import Sequence

import pytest

from src.errors import ModelError
from src.llm.protocol import PartialError, Reply, Request
from src.llm.scripted_backend import ScriptedModel, ScriptLine
from src.programs.answerers.by_language_model import Forms, LanguageModelAnswers, Prompts
from src.programs.answerers.evidence import GoldEvidence, Nowhere
from src.programs.functions import Call
from src.programs.records import Function
from src.records import Sentence, Value

GOLD = GoldEvidence({0: [Sentence("A town.", "Lund")]})
SAID = Reply("True", 9, 2, "choices", (-0.1, -2.0))  # by two calls
FACT, ASKED = Call(0, Function.VERIFY, "A."), Call(0, Function.QUESTION, "Who?")


def scripted(*lines: tuple[str, str | list[float]]) -> ScriptedModel:
    return ScriptedModel([ScriptLine(role, output) for role, output in lines])


def test_facts_by_the_likelier_choice_and_questions_in_words() -> None:
    model = scripted(("verify", [-1.0, -2.0]), ("question", "The answer is: Ann."), ("verify", "False"))
    found = LanguageModelAnswers(model, GOLD, Forms(Prompts.CHAT)).answer([FACT, ASKED, Call(0, Function.VERIFY, "B.")])
    assert [one.value for one in found] == [Value.TRUE, "Ann", Value.FALSE]
    assert found[0].confidence == pytest.approx(0.7311, abs=1e-4)
    assert [one.model_calls for one in found] == [1, 1, 1]
    assert all(one.evidence[0].url == "Lund" for one in found)


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
    (found,) = LanguageModelAnswers(model, GOLD, Forms(Prompts.CHAT)).answer([Call(1, Function.VERIFY, "A.")])
    assert (found.value, found.model_calls, model.asked) == (Value.UNKNOWN, 0, [])
    closed = LanguageModelAnswers(scripted(("verify", "True")), Nowhere(), Forms(Prompts.CHAT))
    assert closed.answer([Call(1, Function.VERIFY, "A.")])[0].value is Value.TRUE


class Failing(ScriptedModel):
    """Times out on whatever names Ben."""

    def complete(self, requests: Sequence[Request]) -> list[Reply]:
        if any("Ben" in request.prompt for request in requests):
            raise ModelError("timed out")
        return super().complete(requests)


def test_a_model_that_fails_in_the_middle_fails_for_that_step_alone() -> None:
    model = Failing([ScriptLine("verify", "True"), ScriptLine("question", " "), ScriptLine("verify", "False")])
    answers = LanguageModelAnswers(model, GOLD, Forms(Prompts.CHAT))
    calls = [FACT, Call(0, Function.VERIFY, "Ben sang."), ASKED, Call(0, Function.VERIFY, "B.")]
    found = answers.answer(calls)
    assert [one.value for one in found] == [Value.TRUE, Value.UNKNOWN, None, Value.FALSE]
    assert [one.failure for one in found] == [
        "", "Verify Ben sang.: timed out", "Question Who?: the model returned nothing", "",
    ]  # fmt: skip


class Counting(Failing):
    """Remembers how many requests came at once."""

    sizes: tuple[int, ...] = ()

    def complete(self, requests: Sequence[Request]) -> list[Reply]:
        self.sizes += (len(requests),)
        return super().complete(requests)


def test_what_fails_costs_one_more_round() -> None:
    model = Counting([ScriptLine("verify", "True")] * 7)
    calls = [Call(0, Function.VERIFY, f"{n}.") for n in range(7)] + [Call(0, Function.VERIFY, "Ben sang.")]
    found = LanguageModelAnswers(model, GOLD, Forms(Prompts.CHAT)).answer(calls)
    assert [one.value for one in found] == [Value.TRUE] * 7 + [Value.UNKNOWN]
    assert model.sizes == (8, *[1] * 8)
    assert [one.model_calls for one in found] == [2] * 8


class Telling(Counting):
    """Says for which requests it fails."""

    def complete(self, requests: Sequence[Request]) -> list[Reply]:
        self.sizes += (len(requests),)
        raise PartialError([ModelError("timed out") if "Ben" in one.prompt else SAID for one in requests])


def test_a_model_that_tells_what_failed_is_not_asked_again() -> None:
    model = Telling([])
    found = LanguageModelAnswers(model, GOLD, Forms(Prompts.CHAT)).answer([FACT, Call(0, Function.VERIFY, "Ben sang.")])
    assert [(one.value, one.model_calls) for one in found] == [(Value.TRUE, 2), (Value.UNKNOWN, 1)]
    assert found[1].failure == "Verify Ben sang.: timed out"
    assert model.sizes == (2,)


def test_confidence_is_that_of_the_value() -> None:
    answers = LanguageModelAnswers(scripted(("verify", [-1.0, -1.4])), GOLD, Forms(Prompts.CHAT), threshold=0.7)
    (found,) = answers.answer([FACT])
    assert (found.value, round(found.confidence, 3)) == (Value.FALSE, 0.401)
    nothing = scripted(("verify", [float("-inf"), float("-inf")]))
    (none,) = LanguageModelAnswers(nothing, GOLD, Forms(Prompts.CHAT)).answer([FACT])
    assert (none.value, none.failure) == (Value.UNKNOWN, "Verify A.: the model scored none of the choices")


def test_evidence_is_shared_where_it_is_said_to_be() -> None:
    model = scripted(("verify", "True"), ("verify", "True"))
    LanguageModelAnswers(model, GOLD, Forms(Prompts.CHAT)).answer([FACT])
    LanguageModelAnswers(model, GOLD, Forms(Prompts.CHAT), shared=False).answer([FACT])
    assert [request.shared for request in model.asked] == [len("Lund: A town."), 0]
