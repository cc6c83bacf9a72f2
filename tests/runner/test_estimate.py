"""The output of --dry_run."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.errors import ClaimError, OutputError
from src.runner.estimate import Estimate, report, spread, time_claims
from src.runner.outcome import Outcome
from src.runner.prices import Prices


@given(st.integers(0, 200))
def test_three_items_from_all_over(count: int) -> None:
    chosen = list(spread(range(count)))
    assert min(count, 2) <= len(chosen) <= min(count, 3)
    assert chosen == sorted(set(chosen))
    assert not count or chosen[0] == 0
    assert count < 3 or chosen[-1] >= count / 2


def echo(items: Sequence[str]) -> list[Outcome[str]]:
    return [Outcome(item) for item in items]


def test_disk_is_scaled_to_all_claims() -> None:
    estimate = time_claims(["ab"] * 30, echo, str.encode)
    assert (estimate.claims, estimate.disk, estimate.prompts) == (30, 60, 0)
    assert estimate.seconds >= 0
    assert time_claims([], echo, str.encode) == Estimate(claims=0, disk=0, seconds=0.0)


def fail(error: Exception) -> Sequence[Outcome[str]]:
    raise error


def test_a_claim_that_fails_takes_no_disk() -> None:
    assert time_claims(["a"], lambda _: fail(ClaimError("no store")), str.encode).disk == 0
    with pytest.raises(OutputError):
        time_claims(["a"], lambda _: fail(OutputError("stop")), str.encode)


def test_the_report_needs_no_folder(tmp_path: Path) -> None:
    text = report("ranking", Estimate(claims=3, disk=2_500_000, seconds=12.4), tmp_path / "none" / "deep" / "x.json")
    assert text.splitlines()[:2] == ["ranking: dry run, nothing written", "  claims   3"]
    assert "disk     2.5 MB of " in text
    assert "time     about 12 s on this machine" in text
    assert "prompts" not in text
    counted = Estimate(claims=3, disk=0, seconds=1.0, prompts=7, tokens=90_000, reply_tokens=20_000)
    text = report("q", counted, Path("x.json"))
    assert "  prompts  7\n  tokens   90000 in prompts, about 20000 in replies\n" in text
    assert "cost" not in text
    assert "  cost     about 0.29, at " in report("q", counted, Path("x.json"), Prices(1.0, 10.0))
