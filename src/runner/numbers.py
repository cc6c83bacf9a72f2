"""argparse types of bounded numbers; `arguments.py` has those of integers with only a lower bound."""

from argparse import ArgumentTypeError

from src.runner.arguments import natural


def seed(text: str) -> int:
    """Parse a seed that every engine accepts: an integer from 0 to 2**32 - 1."""
    value = natural(text)
    if value >= 2**32:
        raise ArgumentTypeError(f"{value} is not below 2 to the power of 32")
    return value


def above_zero(text: str) -> float:
    value = _number(text)
    if not 0 < value < float("inf"):
        raise ArgumentTypeError(f"{text} is not above 0")
    return value


def not_negative(text: str) -> float:
    value = _number(text)
    if not 0 <= value < float("inf"):
        raise ArgumentTypeError(f"{text} is not at least 0")
    return value


def share(text: str) -> float:
    value = _number(text)
    if not 0 <= value <= 1:
        raise ArgumentTypeError(f"{text} is not from 0 to 1")
    return value


def difference_of_shares(text: str) -> float:
    value = _number(text)
    if not -1 <= value <= 1:
        raise ArgumentTypeError(f"{text} is not from -1 to 1")
    return value


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ArgumentTypeError(f"{text} is no number") from None
