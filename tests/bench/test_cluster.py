"""Which runs of many workers are simulated."""

from bench.cluster.__main__ import planned


def test_runs_that_are_too_short_or_too_long_are_left_out() -> None:
    assert planned([0.1, 1.0], [8, 64], [100, 1_000, 10_000], longest=130) == [
        (0.1, 8, 1_000),
        (0.1, 8, 10_000),
        (0.1, 64, 10_000),
        (1.0, 8, 100),
        (1.0, 8, 1_000),
        (1.0, 64, 1_000),
    ]
