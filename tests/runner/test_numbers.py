"""Numbers with bounds: what is outside is refused, with what was asked for."""

from argparse import ArgumentTypeError
from collections.abc import Callable

import pytest

from src.runner.numbers import above_zero, not_negative, seed, share


@pytest.mark.parametrize(
    ("type_", "text", "value"),
    [(share, "0", 0), (share, "1", 1), (share, "0.5", 0.5), (not_negative, "0", 0), (not_negative, "2.5", 2.5),
     (above_zero, "1e-9", 1e-9), (seed, "0", 0), (seed, "4294967295", 2**32 - 1)],
)  # fmt: skip
def test_numbers_within_are_taken(type_: Callable[[str], float], text: str, value: float) -> None:
    assert type_(text) == value


@pytest.mark.parametrize(
    ("type_", "text", "message"),
    [(share, "7", "7 is not from 0 to 1"), (share, "nan", "nan is not from 0 to 1"), (share, "-0.1", "not from 0 to 1"),
     (not_negative, "-1", "-1 is not at least 0"), (not_negative, "nan", "not at least 0"),
     (not_negative, "inf", "not at least 0"), (above_zero, "0", "0 is not above 0"),
     (above_zero, "x", "x is no number"),
     (seed, "-1", "-1 is not at least 0"), (seed, str(10**23), "not below 2 to the power of 32")],
)  # fmt: skip
def test_numbers_outside_are_refused(type_: Callable[[str], float], text: str, message: str) -> None:
    with pytest.raises(ArgumentTypeError, match=message):
        type_(text)
