"""Two runs side by side against figures worked out by hand."""

from pathlib import Path

import pytest
from lxml import html  # type: ignore[import-untyped]
from msgspec.structs import replace

from src.errors import InputError
from src.evaluation.averitec import ClaimScore
from src.evaluation.bootstrap import mcnemar
from src.records import Level, Verdict
from src.report.comparison import Comparison, compare, compare_page
from src.report.run import Run
from tests.report.runs import prediction

S, R, N, C = Verdict
LABELS = [S, S, R, R, N, R]
THIS, OTHER = [S, R, R, R, N, R], [R, S, S, R, R, R]
ANSWERS, OTHER_ANSWERS = [0.5, 0.5, 0.3, 0.2, 0.3, 0.30], [0.5, 0.4, 0.3, 0.3, 0.2, 0.26]


def run_of(name: str, verdicts: list[Verdict], first: int = 0) -> Run:
    return Run(name, Path(name), [prediction(first + n, verdict) for n, verdict in enumerate(verdicts)])


def scores(verdicts: list[Verdict], answers: list[float]) -> dict[int, ClaimScore]:
    rows = zip(LABELS, verdicts, answers, strict=True)
    return {n: ClaimScore(label, verdict, 0.5, answer, []) for n, (label, verdict, answer) in enumerate(rows)}


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return compare(run_of("a", THIS), scores(THIS, ANSWERS), run_of("b", OTHER), scores(OTHER, OTHER_ANSWERS))


def test_changes_are_listed_by_claim(comparison: Comparison) -> None:
    assert [row.changes for row in comparison.rows] == [
        ("verdict differs", "turned right"),
        ("verdict differs", "turned wrong", "evidence better"),
        ("verdict differs", "turned right"),
        ("evidence worse",),
        ("verdict differs", "turned right", "evidence better"),
        (),
    ]
    assert comparison.p == mcnemar(3, 1)


def test_differences_are_this_run_less_the_other(comparison: Comparison) -> None:
    by_name = {one.name: one for one in comparison.scores}
    assert list(by_name) == ["Q", "Q+A", "@.25", "accuracy", "macro-F1"]
    accuracy, answers = by_name["accuracy"], by_name["Q+A"]
    assert (accuracy.this.value, accuracy.other.value) == pytest.approx((5 / 6, 3 / 6))
    assert accuracy.this.to_first is not None
    assert answers.this.to_first is not None
    assert accuracy.this.to_first.value == pytest.approx(2 / 6)
    assert answers.this.to_first.value == pytest.approx((2.1 - 1.96) / 6)


def test_intervals_are_paired() -> None:
    """Where one run is better by the same on every claim, no resample says otherwise."""
    higher = [one + 0.1 for one in ANSWERS]
    comparison = compare(run_of("a", THIS), scores(THIS, higher), run_of("b", THIS), scores(THIS, ANSWERS))
    difference = next(one for one in comparison.scores if one.name == "Q+A").this.to_first
    assert difference is not None
    assert difference.interval == pytest.approx((0.1, 0.1))
    assert comparison.p == 1.0


def test_without_labels_only_verdicts_are_compared() -> None:
    comparison = compare(run_of("a", THIS), {}, run_of("b", OTHER), {})
    assert (comparison.scores, comparison.p, comparison.count("verdict differs")) == ((), None, 4)


def test_claims_of_one_run_alone_are_named() -> None:
    comparison = compare(run_of("a", [S, S, S]), {}, run_of("b", [S, S, S], first=2), {})
    assert (list(comparison.only_this), list(comparison.only_other), len(comparison.rows)) == ([0, 1], [3, 4], 1)


def test_runs_of_other_claims_are_refused() -> None:
    with pytest.raises(InputError, match="b: has no claim of a"):
        compare(run_of("a", [S]), {}, run_of("b", [S], first=7), {})
    other = Run("b", Path("b"), [prediction(0, S, text="Storks eat frogs.")])
    with pytest.raises(InputError, match="b, field claim: claim 0 has another text"):
        compare(run_of("a", [S]), {}, other, {})


def test_verdicts_of_both_runs_have_their_level() -> None:
    ours = Run("a", Path("a"), [replace(prediction(0, S), level=Level.UNDECIDED)])
    theirs = Run("b", Path("b"), [replace(prediction(0, R), level=Level.LEANING)])
    comparison = compare(ours, {}, theirs, {})
    assert [(row.level, row.other_level) for row in comparison.rows] == [(Level.UNDECIDED, Level.LEANING)]
    cells = html.document_fromstring(compare_page(comparison, (), "")).xpath("//td[@data-told]")
    assert [one.text_content() for one in cells] == ["Undecided likeliest: Supported", "Leaning to Refuted"]
    assert [one.xpath("./span/@class")[0] for one in cells] == ["verdict open"] * 2
