"""Questions as statements with a place for the answer, whatever order they are asked in."""

import pytest

from src.programs.answerers.by_small_models import candidates
from src.programs.records import StepEvidence

PAGE = (StepEvidence("Snow was shown in Arden.", "Snow", 1.0),)


@pytest.mark.parametrize(
    ("question", "said"),
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
def test_the_answer_stands_where_a_statement_has_it(question: str, said: str) -> None:
    assert candidates(question, PAGE)[said] == "Snow"


def test_a_name_of_another_kind_answers_nothing() -> None:
    page = (StepEvidence("Snow was made by Karl Holm in 1990.", "", 1.0),)
    assert "Karl Holm" in candidates("Which director made Snow?", page).values()
    assert "Karl Holm" not in candidates("Which film did Ann Berg see?", page).values()
    assert "1990" not in candidates("Which mill did Ann Berg see?", page).values()
    assert "1990" in candidates("Which year was Snow made in?", page).values()
