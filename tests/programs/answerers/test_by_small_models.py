"""Questions as statements, the rule for facts, and questions answered by candidate names."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import pytest

from src.models.entailment import Entailed, Premise
from src.programs.answerers.by_small_models import SmallModelAnswers, candidates
from src.programs.answerers.evidence import GoldEvidence
from src.programs.functions import Answered, Call
from src.programs.records import Function, StepEvidence
from src.records import Sentence, Value

PAGE = (StepEvidence("Snow was shown in Arden.", "Snow", 1.0),)


@pytest.mark.parametrize(
    ("question", "statement"),
    [
        ("Which film did Ann Holm direct?", "Ann Holm did direct Snow"),
        ("Which film does Ann Holm appear in?", "Ann Holm does appear in Snow"),
        ("Which film did Ann Holm sell to Karl Berg in 1990?", "Ann Holm did sell Snow to Karl Berg in 1990"),
        ("Which film has Ann Holm starred in?", "Ann Holm has starred in Snow"),
        ("Which film is Ann Holm best known for?", "Ann Holm is best known for Snow"),
        ("Which film stars Ann Holm?", "Snow stars Ann Holm"),
        ("Which film was directed by Ann Holm?", "Snow was directed by Ann Holm"),
        ("What is the film that Ann Holm starred in?", "Snow is the film that Ann Holm starred in"),
        ("Which film's director is Ann Holm?", "Snow 's director is Ann Holm"),
    ],
)
def test_the_answer_stands_where_a_statement_has_it(question: str, statement: str) -> None:
    assert candidates(question, PAGE)[statement] == "Snow"


def test_a_name_of_another_kind_answers_nothing() -> None:
    page = (StepEvidence("Snow was made by Karl Holm in 1990.", "", 1.0),)
    assert "Karl Holm" in candidates("Which director made Snow?", page).values()
    assert "Karl Holm" not in candidates("Which film did Ann Berg see?", page).values()
    assert "1990" not in candidates("Which mill did Ann Berg see?", page).values()
    assert "1990" in candidates("Which year was Snow made in?", page).values()


A, B = Sentence("Ann sang.", "https://www.a.example/1"), Sentence("Ann was silent.", "https://b.example/2")
ALSO_A = Sentence("Ann was silent.", "https://a.example/3")


class Table:
    """Scores by the premise's texts, else by the hypothesis; neutral where there are none."""

    def __init__(self, scores: Mapping[str, tuple[float, float]]) -> None:
        self.scores_of, self.premises = scores, cast(list[Premise], [])

    def scores(self, premises: Sequence[Premise]) -> list[Entailed]:
        self.premises += premises
        return [self._of(" ".join(text for _, text in one.passages), one.hypothesis) for one in premises]

    def _of(self, text: str, hypothesis: str) -> Entailed:
        entail, contradict = self.scores_of.get(text, self.scores_of.get(hypothesis, (0.0, 0.0)))
        return Entailed(entail, contradict, 1 - entail - contradict)


def verified(scores: Mapping[str, tuple[float, float]], *passages: Sentence, **options: Any) -> Answered:
    table = Table(scores)
    how: dict[str, Any] = {"alone": True, **options}
    answers = SmallModelAnswers(table, GoldEvidence({0: passages}), **({"threshold": 0.5, "margin": 0.2} | how))
    return answers.answer([Call(0, Function.VERIFY, "Ann sang.")])[0]


@pytest.mark.parametrize(
    ("entail", "contradict", "value"),
    [(0.9, 0.05, Value.TRUE), (0.5, 0.3, Value.TRUE), (0.49, 0.1, Value.UNKNOWN), (0.05, 0.9, Value.FALSE),
     (0.55, 0.45, Value.UNKNOWN), (0.1, 0.2, Value.UNKNOWN)],
)  # fmt: skip
def test_one_passage(entail: float, contradict: float, value: Value) -> None:
    answer = verified({"Ann sang.": (entail, contradict)}, A)
    sure = 0.0 if value is Value.UNKNOWN else max(entail, contradict)
    assert (answer.value, answer.confidence, answer.model_calls) == (value, sure, 1)


def test_without_a_margin_the_threshold_of_true_decides() -> None:
    for entail, contradict, value in ((0.3, 0.6, Value.TRUE), (0.2, 0.6, Value.FALSE), (0.2, 0.2, Value.UNKNOWN)):
        answer = verified({"Ann sang.": (entail, contradict)}, A, threshold=0.25, margin=-1.0)
        sure = {Value.TRUE: entail, Value.FALSE: contradict, Value.UNKNOWN: 0.0}[value]
        assert (answer.value, answer.confidence) == (value, sure)


def test_what_speaks_for_a_true_fact_comes_first_though_more_speaks_against_it() -> None:
    scores = {"Ann was silent. Ann sang.": (0.1, 0.2), "Ann sang.": (0.3, 0.0), "Ann was silent.": (0.0, 0.9)}
    answer = verified(scores, B, A, threshold=0.25, margin=-1.0)
    assert (answer.value, answer.confidence) == (Value.TRUE, 0.3)
    assert [one.url for one in answer.evidence] == [A.url, B.url]


def test_sources_conflict_only_when_they_are_two() -> None:
    scores = {"Ann sang. Ann was silent.": (0.4, 0.4), "Ann sang.": (0.9, 0.0), "Ann was silent.": (0.0, 0.85)}
    assert verified(scores, A, B).value is Value.CONFLICTING
    assert verified(scores, A, ALSO_A).value is Value.UNKNOWN
    assert verified(scores | {"Ann was silent.": (0.0, 0.6)}, A, B).value is Value.TRUE
    assert verified(scores, A, B, alone=False).value is Value.UNKNOWN


def test_the_passage_that_decides_comes_first() -> None:
    scores = {"Ann sang. Ann was silent.": (0.1, 0.2), "Ann sang.": (0.1, 0.0), "Ann was silent.": (0.0, 0.9)}
    answer = verified(scores, A, B)
    assert answer.value is Value.FALSE
    assert [one.url for one in answer.evidence] == [B.url, A.url]


def test_of_a_conflict_both_sides_come_first() -> None:
    others = [Sentence(f"It rained {n}.", f"https://c.example/{n}") for n in range(2)]
    together = "It rained 0. Ann sang. It rained 1. Ann was silent."
    scores = {"Ann sang.": (0.9, 0.0), "Ann was silent.": (0.0, 0.85), together: (0.1, 0.1)}
    scores |= {other.sentence: (0.0, 0.0) for other in others}
    answer = verified(scores, others[0], A, others[1], B)
    assert answer.value is Value.CONFLICTING
    assert [one.url for one in answer.evidence] == [A.url, B.url, others[0].url, others[1].url]
    assert answer.model_calls == 5


def test_more_passages_than_the_model_takes_are_read_ten_at_a_time() -> None:
    many = [Sentence(f"It rained {n}.", "") for n in range(12)]
    last = "It rained 10. It rained 11."
    answer = verified({last: (0.9, 0.0)}, *many, alone=False)
    assert (answer.value, answer.model_calls) == (Value.TRUE, 2)
    assert verified({last: (0.9, 0.0)}, *many, alone=False, read=10).value is Value.UNKNOWN


def test_no_passage_no_call() -> None:
    assert verified({}).value is Value.UNKNOWN


def answered(question: str, scores: Mapping[str, tuple[float, float]], *passages: Sentence) -> tuple[Answered, Table]:
    table = Table(scores)
    answers = SmallModelAnswers(table, GoldEvidence({0: passages}))
    return answers.answer([Call(0, Function.QUESTION, question)])[0], table


def test_a_question_is_answered_by_the_name_that_fits_best() -> None:
    page = Sentence("Maria Berg built the bridge in Lund with Peter Holm in 1990.", "Höje Bridge")
    scores = {"Maria Berg built the bridge": (0.9, 0.0), "Peter Holm built the bridge": (0.7, 0.1)}
    answer, table = answered("Who built the bridge?", scores, page)
    assert (answer.value, answer.confidence) == ("Maria Berg", 0.9)
    assert answer.model_calls == len(table.premises) >= 2
    assert answered("Who planned the bridge?", {}, Sentence("Ann was here.", ""))[1].premises != []
    assert answered("Who built the bridge?", {}, page)[0].value is None
    assert answered("How was it built?", scores, page)[0].value is None
    when, table = answered(
        "In which year did Maria Berg build it?", {"In 1990 did Maria Berg build it": (0.8, 0.0)}, page
    )
    assert when.value == "1990"
    assert all("Höje Bridge" not in one.hypothesis for one in table.premises)
