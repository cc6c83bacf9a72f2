"""Command lines of the benchmarks: their main functions end as steps do, and their flags have the same types."""

from argparse import ArgumentTypeError
from collections.abc import Callable, Sequence
from typing import TypeVar

from src.runner.flags import StepParser, WithDefaults
from src.runner.step import exit_code_of

__all__ = ["StepParser", "WithDefaults"]  # the parsers of steps, for benchmarks

Number = TypeVar("Number", int, float)
Main = Callable[[Sequence[str] | None], int]


def command(main: Main) -> "Command":
    """Decorate the main function of a benchmark, which takes the arguments and returns the exit code."""
    return Command(main)


class Command:
    """A benchmark's main function; calling it returns the exit code, see `exit_code_of`."""

    def __init__(self, main: Main) -> None:
        self.main = main

    def __call__(self, argv: Sequence[str] | None = None) -> int:
        return exit_code_of(lambda: self.main(argv))


def natural(text: str) -> int:
    """Return an integer of at least 0."""
    return _at_least(0, int(text))


def positive(text: str) -> int:
    """Return an integer of at least 1."""
    return _at_least(1, int(text))


def seed(text: str) -> int:
    """Return a seed that every engine accepts: an integer from 0 to 2**32 - 1."""
    value = natural(text)
    if value >= 2**32:
        raise ArgumentTypeError(f"{value} is not below 2 to the power of 32")
    return value


def not_negative(text: str) -> float:
    """Return a number of at least 0."""
    return _at_least(0.0, float(text))


def above_zero(text: str) -> float:
    """Return a number above 0."""
    value = float(text)
    if value <= 0:
        raise ArgumentTypeError(f"{text} is not above 0")
    return value


def share(text: str) -> float:
    """Return a number from 0 to 1."""
    value = float(text)
    if not 0 <= value <= 1:
        raise ArgumentTypeError(f"{text} is not from 0 to 1")
    return value


def _at_least(least: Number, value: Number) -> Number:
    if value < least:
        raise ArgumentTypeError(f"{value} is not at least {least}")
    return value
