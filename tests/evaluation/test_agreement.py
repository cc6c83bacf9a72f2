"""Cohen's and Fleiss' kappa against worked examples and against each other, and the cases without a kappa."""

import pytest

from src.evaluation.agreement import cohen_kappa, fleiss_kappa


def test_cohens_kappa_of_a_worked_example() -> None:
    pairs = [(True, True)] * 20 + [(True, False)] * 5 + [(False, True)] * 10 + [(False, False)] * 15
    first, second = zip(*pairs, strict=True)
    assert cohen_kappa(first, second) == pytest.approx(0.4)  # 35 of 50 agree, 25 by chance
    assert cohen_kappa(second, first) == pytest.approx(0.4)
    assert cohen_kappa([True, False], [True, False]) == 1.0
    assert cohen_kappa([True, False], [False, False]) == 0.0


@pytest.mark.parametrize("answers", [[], [True, True], [False, False, False]])
def test_raters_whose_answers_are_all_equal_have_no_kappa(answers: list[bool]) -> None:
    assert cohen_kappa(answers, answers) is None
    assert fleiss_kappa([(2 * yes, 2) for yes in answers]) is None


def test_fleiss_kappa_with_as_many_raters_everywhere_is_that_of_1971() -> None:
    yes, raters = [0, 1, 3, 4, 4, 2, 0], 4
    share = sum(yes) / (raters * len(yes))
    alike = [(one * (one - 1) + (raters - one) * (raters - one - 1)) / (raters * (raters - 1)) for one in yes]
    chance = share**2 + (1 - share) ** 2
    expected = (sum(alike) / len(alike) - chance) / (1 - chance)
    assert fleiss_kappa([(one, raters) for one in yes]) == pytest.approx(expected)


def test_fleiss_kappa_takes_units_with_missing_raters() -> None:
    assert fleiss_kappa([(3, 3), (0, 2), (2, 2)]) == 1.0
    missing = fleiss_kappa([(3, 3), (0, 3), (1, 2)])
    assert missing is not None
    assert missing == pytest.approx(1 - (1 / 2) / (5 * 0.5 * 0.5))
