"""The check in work: its deadline and its outcome."""

import time

import msgspec

from src.check.records import CheckedClaim, CheckRequest
from src.check.run_context import Tell
from src.errors import Cancelled, FactCheckError, one_line
from src.report.server.checks import Checks
from src.report.server.records import Status
from src.runner.console import say_fault


class Outcome(msgspec.Struct, frozen=True):
    status: Status
    error: str = ""
    result: CheckedClaim | None = None


class Work:
    """One check, run in the worker's thread; other threads call `cancel`."""

    def __init__(self, check_id: str, asked: CheckRequest, seconds: float) -> None:
        self.check_id = check_id
        self.cancelling = False
        self._asked = asked
        self._seconds = seconds
        self._began = time.monotonic()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._began

    def cancel(self) -> None:
        self.cancelling = True

    def outcome(self, checks: Checks, tell: Tell) -> Outcome:
        """Run the check and return its outcome. A result that came after the deadline is still a result."""
        try:
            found = checks(self._asked, tell, self._is_cancelled)
        except BaseException as error:  # no error of a check may end the worker
            return self._failed(error)
        return Outcome(Status.CANCELLED) if self.cancelling else Outcome(Status.DONE, result=found)

    def _is_cancelled(self) -> bool:
        return self.cancelling or self.seconds > self._seconds

    def _failed(self, error: BaseException) -> Outcome:
        if self.cancelling:
            return Outcome(Status.CANCELLED)
        if isinstance(error, Cancelled) and self._is_cancelled():
            return Outcome(Status.FAILED, f"took longer than {self._seconds:g} s")
        return failed(error)


def failed(error: BaseException) -> Outcome:
    """Return the outcome of an error. An error outside FactCheckError is a fault of the program; its traceback goes to
    stderr.
    """
    if isinstance(error, FactCheckError):
        return Outcome(Status.FAILED, one_line(str(error)))
    say_fault(error)
    return Outcome(Status.FAILED, f"a fault of the program: {type(error).__name__}; the server's terminal says more")
