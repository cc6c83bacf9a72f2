"""Recall of gold pages, and mean and spread over seeds."""

import pytest

from src.claims import LabelledClaim
from src.programs.baselines.few_shot import lines, over_seeds
from src.programs.records import ClaimTrace
from src.programs.scoring.report import pages, recalls
from src.programs.whole_claim import trace_of
from src.records import Value
from tests.programs.answers import F, T
from tests.programs.scoring.traces import gold, questioned, traced, verified

STEPS = [
    questioned("Who?", "Ann", ("Lund", 1.0), ("Malmö", 3.0), ("", 9.0)),
    verified("Ann is.", T, ("Ann_Moor", 2.0), ("lund", 4.0), ("Ystad", 2.0)),
]


def test_pages_are_sorted_by_their_best_score() -> None:
    assert pages(traced(0, T, *STEPS)) == ["lund", "malmö", "ann moor", "ystad"]


def test_recall_is_the_share_of_gold_titles_among_the_best() -> None:
    claims = [gold(0, T, titles=["Lund", "Ann Moor", "Nowhere"]), gold(1, T, titles=["Malmo\u0308"])]
    traces = [traced(0, T, *STEPS), traced(1, T, *STEPS)]
    assert recalls(claims, traces, 1).tolist() == [1 / 3, 0]
    assert recalls(claims, traces, 2).tolist() == [1 / 3, 1]
    assert recalls(claims, traces, 10).tolist() == [2 / 3, 1]


def test_programs_are_put_together() -> None:
    trace, other = traced(0, T, STEPS[0]), traced(0, T, STEPS[1])
    trace.programs += other.programs
    assert pages(trace) == ["lund", "malmö", "ann moor", "ystad"]
    assert recalls([gold(0, T, titles=["x"])], [traced(0, T)], 3).tolist() == [0]


GOLD = [(2, T), (2, F), (3, T), (3, F)]
CLAIMS = [LabelledClaim(n, str(n), f"Claim {n}.", value, hops, (), ()) for n, (hops, value) in enumerate(GOLD)]


def traces(*values: Value) -> list[ClaimTrace]:
    return [trace_of(n, f"Claim {n}.", value, 1.0, [], 1) for n, value in enumerate(values)]


def test_mean_and_spread() -> None:
    two, three, both = over_seeds(CLAIMS, [traces(T, F, T, F), traces(T, F, T, T)], [], 0)
    assert (two.group, two.seeds, two.macro_f1.deviation) == ("2 hops", [1.0, 1.0], 0.0)
    assert (three.group, three.claims, three.supports) == ("3 hops", 2, 1)
    assert three.seeds == pytest.approx([1.0, 1 / 3])
    assert three.macro_f1.mean == pytest.approx(2 / 3)
    assert three.macro_f1.deviation == pytest.approx(1 / 3)
    assert both.claims == 4
    assert three.baselines.all_supports == pytest.approx(1 / 3)
    assert three.baselines.novelty is None
    assert any(line.startswith("3 hops  2       66.67 ± 33.33  33.33   100.00") for line in lines([two, three, both]))
