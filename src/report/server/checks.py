"""Interface of the check function that the server calls; it reports progress and can be stopped."""

from collections.abc import Callable
from typing import Protocol

from src.check.records import CheckedClaim, CheckRequest
from src.check.run_context import Tell

IsCancelled = Callable[[], bool]


class Checks(Protocol):
    """Check function, called by one thread, one claim after the other."""

    def __call__(self, asked: CheckRequest, tell: Tell, is_cancelled: IsCancelled) -> CheckedClaim:
        """Return the result. Raises FactCheckError when the check fails, any error soon after `is_cancelled()` turns
        True.
        """
