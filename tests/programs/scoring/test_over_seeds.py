"""Mean and spread over seeds, by hops."""

import pytest

from src.claims import LabelledClaim
from src.programs.baselines.few_shot import lines, over_seeds
from src.programs.records import ClaimTrace
from src.programs.whole_claim import trace_of
from src.records import Value
from tests.programs.answers import F, T

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
    assert three.floors.all_supports == pytest.approx(1 / 3)
    assert three.floors.novelty is None
    assert any(line.startswith("3 hops  2       66.67 ± 33.33  33.33   100.00") for line in lines([two, three, both]))
