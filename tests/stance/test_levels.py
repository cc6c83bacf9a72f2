"""Reliability levels and conformal sets have the required precision and coverage on new claims."""

import numpy as np
import pytest

from src.evaluation.calibration import wilson
from src.records import VERDICTS, Level, Verdict
from src.stance.levels import Z_ONE_SIDED_90, Levels, Limits, fit_levels

LIMITS = {Verdict.SUPPORTED: Limits(0.9, 0.5)}


def drawn(count: int, seed: int) -> tuple[list[list[float]], list[int]]:
    """Draw claims with calibrated probabilities: each label is drawn by them."""
    chance = np.random.default_rng(seed)
    rows = chance.dirichlet(np.full(len(VERDICTS), 0.5), count)
    labels = [int(chance.choice(len(VERDICTS), p=row)) for row in rows]
    return rows.tolist(), labels


def fitted(count: int = 2000, seed: int = 0) -> Levels:
    return fit_levels(*drawn(count, seed), firm=0.85, leaning=0.6, alpha=0.1, fewest=20)


def chances(row: list[float]) -> dict[Verdict, float]:
    return dict(zip(VERDICTS, row, strict=True))


def test_firm_verdicts_have_the_required_precision() -> None:
    levels = fitted()
    assert levels.precision[Level.FIRM] >= 0.85
    rows, labels = drawn(4000, seed=1)
    firm = [
        row.index(max(row)) == label
        for row, label in zip(rows, labels, strict=True)
        if levels.of(chances(row), VERDICTS[row.index(max(row))]) is Level.FIRM
    ]
    assert len(firm) > 500
    assert 0.85 <= np.mean(firm) <= 0.92


def test_sets_hold_the_label_nine_times_of_ten() -> None:
    levels = fitted()
    rows, labels = drawn(4000, seed=2)
    held = [VERDICTS[label] in levels.set_of(chances(row)) for row, label in zip(rows, labels, strict=True)]
    assert np.mean(held) == pytest.approx(0.9, abs=0.02)


def test_a_set_is_never_empty_and_begins_with_the_likeliest() -> None:
    levels = Levels(LIMITS, least=0.8, alpha=0.1, claims=9)
    assert levels.set_of(chances([0.3, 0.4, 0.2, 0.1])) == [Verdict.REFUTED]


def test_levels_by_their_limits() -> None:
    levels = Levels(LIMITS, least=0.1, alpha=0.1, claims=9)
    of = [levels.of(chances([best, 1 - best, 0.0, 0.0]), Verdict.SUPPORTED) for best in (0.9, 0.5, 0.49)]
    assert of == [Level.FIRM, Level.LEANING, Level.UNDECIDED]
    assert levels.of(chances([0.05, 0.95, 0.0, 0.0]), Verdict.REFUTED) is Level.UNDECIDED


def test_each_verdict_has_limits_of_its_own() -> None:
    supported, refuted = [[0.9, 0.1, 0.0, 0.0]] * 50, [[0.1, 0.9, 0.0, 0.0]] * 50
    levels = fit_levels([*supported, *refuted], [0] * 50 + [2] * 50, firm=0.85, leaning=0.6, alpha=0.1, fewest=40)
    assert levels.limits[Verdict.SUPPORTED] == Limits(0.9, 0.9)
    assert levels.limits[Verdict.REFUTED] == Limits()
    assert levels.precision == {Level.FIRM: 1.0, Level.UNDECIDED: 0.0}


def test_claims_of_a_level_are_counted() -> None:
    levels = Levels(LIMITS, least=0.1, alpha=0.1, claims=902, share={Level.FIRM: 0.1375})
    assert (levels.count(Level.FIRM), levels.count(Level.LEANING)) == (124, None)


def test_no_limit_where_no_verdict_is_precise_enough() -> None:
    rows = [[0.7, 0.1, 0.1, 0.1]] * 40
    levels = fit_levels(rows, [1] * 40, firm=0.85, leaning=0.6, alpha=0.1, fewest=20)
    assert levels.limits[Verdict.SUPPORTED] == Limits()
    assert levels.share == {Level.FIRM: 0.0, Level.LEANING: 0.0, Level.UNDECIDED: 1.0}


def test_too_few_claims_leave_every_verdict_possible() -> None:
    levels = fit_levels([[0.7, 0.1, 0.1, 0.1]] * 3, [0] * 3, firm=0.85, leaning=0.6, alpha=0.1, fewest=1)
    assert len(levels.set_of(chances([0.7, 0.1, 0.1, 0.1]))) == len(VERDICTS)


def test_a_limit_takes_all_claims_that_are_equally_probable() -> None:
    chances = [[0.6, 0.2, 0.1, 0.1]] * 100
    labels = [0] * 40 + [1] * 60
    levels = fit_levels(chances, labels, firm=0.85, leaning=0.65, alpha=0.1, fewest=40)
    assert levels.limits[Verdict.SUPPORTED] == Limits()


def test_a_data_set_in_which_a_verdict_is_seldom_right_raises_the_limit() -> None:
    sure, less = [[0.9, 0.1, 0.0, 0.0]] * 60, [[0.7, 0.3, 0.0, 0.0]] * 60
    labels, parts = [0] * 60 + [0] * 40 + [1] * 20, ["one"] * 60 + ["one"] * 40 + ["other"] * 20
    together = fit_levels([*sure, *less], labels, firm=0.75, leaning=0.75, alpha=0.1, fewest=40)
    names = ("one", "other")
    apart = fit_levels([*sure, *less], labels, firm=0.75, leaning=0.75, alpha=0.1, fewest=40, parts=parts, in_use=names)
    assert together.limits[Verdict.SUPPORTED].firm == 0.7
    assert apart.limits[Verdict.SUPPORTED].firm == 0.9


def test_a_limit_rests_on_claims_that_are_met_in_use() -> None:
    rows, labels = [[0.9, 0.1, 0.0, 0.0]] * 60, [0] * 60
    limits = [
        fit_levels(
            rows, labels, firm=0.8, leaning=0.8, alpha=0.1, fewest=40, parts=["met"] * met + ["other"] * (60 - met),
            in_use=["met"],
        ).limits[Verdict.SUPPORTED].firm
        for met in (19, 20)
    ]  # fmt: skip
    assert limits == [Limits().firm, 0.9]


def test_the_lower_bound_of_a_precision_counts() -> None:
    assert wilson(40, 40, Z_ONE_SIDED_90)[0] == pytest.approx(40 / (40 + 1.2816**2))
    assert wilson(0, 40, Z_ONE_SIDED_90)[0] == pytest.approx(0.0)
    rows, labels = [[0.9, 0.1, 0.0, 0.0]] * 50, [0] * 44 + [1] * 6  # .88 of 50: at least .81 with 90 %
    limits = [
        fit_levels(rows, labels, firm=firm, leaning=0.9, alpha=0.1, fewest=40).limits[Verdict.SUPPORTED].firm
        for firm in (0.8, 0.85)
    ]
    assert limits == [0.9, Limits().firm]


def test_a_data_set_with_few_claims_does_not_raise_the_limit() -> None:
    rows, labels = [[0.9, 0.1, 0.0, 0.0]] * 60, [0] * 58 + [1] * 2
    parts = ["one"] * 58 + ["other"] * 2
    levels = fit_levels(rows, labels, firm=0.8, leaning=0.8, alpha=0.1, fewest=40, parts=parts, in_use=["one"])
    assert levels.limits[Verdict.SUPPORTED].firm == 0.9
