"""Operations of the server for people and programs, independent of HTTP."""

from collections.abc import AsyncIterator, Sequence

from msgspec.structs import asdict

from src.check.records import Strategy
from src.report.server.answers import CheckAnswer, Listing, State, listed
from src.report.server.events import events
from src.report.server.history import History
from src.report.server.jobs import Jobs
from src.report.server.limits import Limits
from src.report.server.records import Check
from src.report.server.schemas import Sent, asked

PAGE = 20  # checks on one page of the history


class Desk:
    """Service behind pages and API. `providers` are the offered search providers, `road` is the form's default
    strategy.

    Methods raise RefusedError for an unknown id.
    """

    def __init__(self, jobs: Jobs, history: History, limits: Limits, providers: Sequence[str], road: Strategy) -> None:
        self.limits, self.providers, self.road = limits, tuple(providers), road
        self._jobs, self._history = jobs, history

    def begin(self) -> None:
        self._jobs.start()

    def end(self, patience: float) -> None:
        """Stop all checks that are not over; wait at most `patience` seconds for them."""
        self._jobs.stop()
        self._jobs.join(patience)

    def ask(self, sent: Sent) -> Check:
        """Queue a check. Raises InputError for a wrong claim, RefusedError when the queue is full, OutputError."""
        return self._jobs.ask(sent, asked(sent, self.providers, self.limits.urls))

    def sent(self, check_id: str) -> Sent:
        return self._history.check(check_id).sent

    def answer(self, check_id: str) -> CheckAnswer:
        """Return state and result. Raises RefusedError when the result cannot be read any more."""
        state = self._jobs.state(check_id)
        return CheckAnswer(**asdict(state), result=self._history.result(check_id) if state.verdict else None)

    def cancel(self, check_id: str) -> State:
        """Cancel a check; return its state. Raises OutputError when it cannot be written."""
        return self._jobs.cancel(check_id)

    def delete(self, check_id: str) -> None:
        """Delete a check. Raises RefusedError when it is not over, OutputError when it cannot be deleted."""
        self._jobs.remove(check_id)

    def events(self, check_id: str, last_seen: str) -> AsyncIterator[bytes]:
        self._jobs.state(check_id)
        return events(self._jobs, check_id, last_seen)

    def listing(self, start: int = 0, limit: int = PAGE) -> Listing:
        """Return `limit` checks of the history from `start`, newest first."""
        every = self._history.checks()
        after = start + limit
        following = f"/api/checks?start={after}&limit={limit}" if after < len(every) else None
        return Listing([listed(check) for check in every[start:after]], len(every), following)
