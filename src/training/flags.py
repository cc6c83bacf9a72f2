"""The argparse type of `--max_length`, for `few_shot/recipe_flags.py`."""

from argparse import ArgumentTypeError

from src.runner.arguments import positive

SHORTEST = 32  # tokens of an example: room for a claim and the ends of ten pairs


def input_length(text: str) -> int:
    """Return a number of word pieces from an argparse text. Raises ArgumentTypeError below `SHORTEST`."""
    value = positive(text)
    if value < SHORTEST:
        raise ArgumentTypeError(f"{text} is not at least {SHORTEST}")
    return value
