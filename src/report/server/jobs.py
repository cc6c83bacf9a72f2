"""Queue of checks, and the one thread that works on them in order.

Reads take no lock, since shared state is replaced as a whole.
"""

import secrets
import threading
from datetime import UTC, datetime
from functools import partial

from src.check.records import CheckRequest, ProgressEvent
from src.report.server.answers import State, state_of
from src.report.server.checks import Checks
from src.report.server.event_log import Book
from src.report.server.history import STOPPED, History
from src.report.server.job import Outcome, Work
from src.report.server.limits import Limits
from src.report.server.records import Check, Status
from src.report.server.schemas import Sent
from src.serving.refused import RefusedError

RETRY_AFTER = "30"  # seconds


class Jobs:
    """Queue of checks; `revision` grows with every change of any check."""

    def __init__(self, checks: Checks, history: History, limits: Limits) -> None:
        self.revision = 0
        self._checks, self._history, self._limits = checks, history, limits
        self._book = Book(history)
        self._changed = threading.Condition()
        self._waiting: tuple[tuple[str, CheckRequest], ...] = ()
        self._working: Work | None = None
        self._stopping = False
        self._thread = threading.Thread(target=self._work, name="checks", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Write all checks that are not over as stopped; cancel the one in work."""
        with self._changed:
            self._stopping = True
            left = [check_id for check_id, _ in self._waiting]
            if self._working is not None:
                self._working.cancel()
                left.append(self._working.check_id)
            self._waiting = ()
            for check_id in left:
                self._book.end(check_id, Outcome(Status.STOPPED, STOPPED))
            self._bump()

    def join(self, seconds: float) -> None:
        """Wait for the thread, at most `seconds`."""
        self._thread.join(seconds)

    def ask(self, sent: Sent, asked: CheckRequest) -> Check:
        """Queue a check. Raises RefusedError when the queue is full, OutputError when the check cannot be written."""
        with self._changed:
            if self._stopping:
                raise RefusedError("the server is being stopped", status=503)
            if len(self._waiting) + (self._working is not None) > self._limits.waiting:
                said = f"{self._limits.waiting} checks are waiting already; try again later"
                raise RefusedError(said, status=429, headers={"Retry-After": RETRY_AFTER})
            check = Check(secrets.token_hex(16), sent, Status.WAITING, datetime.now(UTC))
            self._history.write(check)
            self._waiting = (*self._waiting, (check.id, asked))
            self._bump()
            return check

    def cancel(self, check_id: str) -> State:
        """Cancel a check; one that is over does not change. Raises RefusedError when there is none."""
        with self._changed:
            if self._working is not None and self._working.check_id == check_id:
                self._working.cancel()
            elif self._history.check(check_id).status is Status.WAITING:
                self._book.end(check_id, Outcome(Status.CANCELLED))
                self._waiting = tuple(one for one in self._waiting if one[0] != check_id)
            self._bump()
            return self.state(check_id)

    def remove(self, check_id: str) -> None:
        """Delete a check. Raises RefusedError when there is none or it is not over, OutputError when it cannot be
        deleted.
        """
        with self._changed:
            if not self._history.check(check_id).status.is_over:
                raise RefusedError("is not over yet; cancel it first", status=409)
            self._history.remove(check_id)
            self._bump()

    def state(self, check_id: str) -> State:
        """Return the check's state. Raises RefusedError when there is none."""
        check, working = self._history.check(check_id), self._working
        place = next((n for n, (waiting, _) in enumerate(self._waiting, 1) if waiting == check_id), None)
        cancelling = working is not None and working.check_id == check_id and working.cancelling
        return state_of(check, place, cancelling and not check.status.is_over)

    def _work(self) -> None:
        while (work := self._next()) is not None:
            outcome = work.outcome(self._checks, partial(self._tell, work))
            with self._changed:
                self._working = None
                self._book.end(work.check_id, outcome)
                self._bump()

    def _next(self) -> Work | None:
        """Return the next check, None when the server is being stopped."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._stopping)
            if self._stopping:
                return None
            (check_id, asked), *rest = self._waiting
            self._book.begin(check_id)  # before it leaves the queue, so that every waiting check has a place
            self._working, self._waiting = Work(check_id, asked, self._limits.seconds), tuple(rest)
            self._bump()
            return self._working

    def _tell(self, work: Work, told: ProgressEvent) -> None:
        with self._changed:
            self._book.hear(work.check_id, told, work.seconds)
            self._bump()

    def _bump(self) -> None:
        self.revision += 1
        self._changed.notify_all()
