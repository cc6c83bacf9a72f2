"""Prices of a language model's tokens, and the cost of a run.

Limitations: discounts, such as for cached prompts or batches, are not known. Replies from `--cache_dir` count as paid.
Tokens of failed claims that a restart tries again are not counted.
"""

from typing import Annotated

import msgspec

from src.errors import InputError
from src.settings import Flag, NotNegative

MILLION = 1_000_000


class Prices(msgspec.Struct, frozen=True):
    """Prices for a million tokens, in any currency; None: not known.

    `input_price`: of prompts.
    `output_price`: of replies.
    """

    input_price: Annotated[NotNegative | None, Flag("price of a million tokens of prompts, for the cost")] = None
    output_price: Annotated[NotNegative | None, Flag("price of a million tokens of replies")] = None

    def check(self) -> None:
        """Raise InputError if only one of the prices is known."""
        if (self.input_price is None) is not (self.output_price is None):
            raise InputError("--input_price and --output_price go together")

    def cost(self, prompt_tokens: int, new_tokens: int) -> float | None:
        """Return the cost of tokens of prompts and of replies; None if the prices are not known."""
        if self.input_price is None or self.output_price is None:
            return None
        return round((prompt_tokens * self.input_price + new_tokens * self.output_price) / MILLION, 6)
