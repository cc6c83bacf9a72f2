"""What the server needs of a check: one call, which tells how far it is and can be stopped."""

from collections.abc import Callable
from typing import Protocol

from src.check.records import Asked, CheckedClaim
from src.check.run_context import Tell

IsCancelled = Callable[[], bool]


class Checks(Protocol):
    """Called by one thread, one claim after the other."""

    def __call__(self, asked: Asked, tell: Tell, is_cancelled: IsCancelled) -> CheckedClaim:
        """Raises what it likes soon after `is_cancelled()` turns true, FactCheckError where the check fails."""
