"""Service behind pages and API: a queue of checks, and one thread that runs them in order.

Reading takes no lock, because shared state is replaced as a whole.
"""

import secrets
import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Protocol

from msgspec.structs import asdict

from src.check.records import CheckedClaim, CheckRequest, ProgressEvent, Strategy
from src.check.run_context import Tell
from src.errors import Cancelled, InputError, RefusedClaimError
from src.report.server.history import STOPPED, EventLog, History, Outcome, failed
from src.report.server.records import Check, CheckAnswer, CheckList, Limits, State, Status, state_of, summary_of
from src.report.server.submission import ClaimSubmission, request_of
from src.serving.refused import RefusedError

PAGE = 20  # checks on one page of the history
RETRY_AFTER = "30"  # seconds
IsCancelled = Callable[[], bool]


class CheckFunction(Protocol):
    """Function that checks a claim. Only one thread calls it, for one claim at a time."""

    def __call__(self, request: CheckRequest, /, tell: Tell, is_cancelled: IsCancelled) -> CheckedClaim:
        """Return the checked claim.

        Raises FactCheckError when the check fails, and any error soon after `is_cancelled()` returns True.
        """


class CheckService:
    """Queue, worker thread and history of checks. Methods with a `check_id` raise RefusedError for an unknown id.

    `limits`: limits of the server.
    `providers`: search providers that may be used.
    `strategy`: default strategy of the form.
    `models_lock`: held while a check uses the models; another thread that uses the same models must hold it, too.
    `lacking`: returns why checks by a strategy would fail, such as a missing model; "" if they would not.
    `refuse`: raises InputError for a request whose check would fail, such as a claim in another language.
    `revision`: number that grows with every change of any check.
    """

    def __init__(
        self,
        check: CheckFunction,
        history: History,
        limits: Limits,
        providers: Sequence[str] = (),
        strategy: Strategy = Strategy.QUESTIONS,
        lacking: Callable[[Strategy], str] = lambda _: "",
        refuse: Callable[[CheckRequest], object] = lambda _: None,
    ) -> None:
        self.limits, self.providers, self.strategy, self.lacking = limits, tuple(providers), strategy, lacking
        self.revision = 0
        self._refuse = refuse
        self._check, self._history, self._log = check, history, EventLog(history)
        self.models_lock = threading.Lock()
        self._changed = threading.Condition()
        self._waiting: tuple[tuple[str, CheckRequest], ...] = ()
        self._running: _Job | None = None
        self._stopping = False
        self._thread = threading.Thread(target=self._work, name="checks", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Stop the service: cancel the running check, and record it and all waiting checks as stopped."""
        with self._changed:
            self._stopping = True
            left = [check_id for check_id, _ in self._waiting]
            if self._running is not None:
                self._running.cancel()
                left.append(self._running.check_id)
            self._waiting = ()
            for check_id in left:
                self._log.end(check_id, Outcome(Status.STOPPED, STOPPED))
            self._bump()

    def join(self, seconds: float) -> None:
        """Wait until the worker thread ends, at most `seconds`."""
        self._thread.join(seconds)

    def ask(self, submission: ClaimSubmission) -> Check:
        """Add a check to the queue and return it.

        Raises InputError for an invalid submission, RefusedError when the queue is full or the server is being stopped,
        OutputError when the check cannot be written.
        """
        try:
            request = request_of(submission, self.providers, self.limits.urls)
            self._refuse(request)
        except RefusedClaimError as error:
            raise InputError(error.message, field="claim") from None
        if reason := self.lacking(request.strategy):
            raise InputError(reason, field="strategy")
        with self._changed:
            if self._stopping:
                raise RefusedError("the server is being stopped", status=503)
            if len(self._waiting) + (self._running is not None) > self.limits.waiting:
                message = f"{self.limits.waiting} checks are waiting already; try again later"
                raise RefusedError(message, status=429, headers={"Retry-After": RETRY_AFTER})
            check = Check(secrets.token_hex(16), submission, Status.WAITING, datetime.now(UTC))
            self._history.write(check)
            self._waiting = (*self._waiting, (check.id, request))
            self._bump()
            return check

    def cancel(self, check_id: str) -> State:
        """Cancel a check and return its state; a check that is over does not change.

        A check that cannot be written, as on a full disk, is cancelled in memory; after a restart it is `stopped`.
        """
        with self._changed:
            if self._running is not None and self._running.check_id == check_id:
                self._running.cancel()
            elif self._history.check(check_id).status is Status.WAITING:
                self._log.end(check_id, Outcome(Status.CANCELLED))
                self._waiting = tuple(one for one in self._waiting if one[0] != check_id)
            self._bump()
            return self.state(check_id)

    def delete(self, check_id: str, *, for_good: bool = False) -> None:
        """Delete a check from the history; `for_good`: it cannot be restored.

        Raises RefusedError when it is not over, OutputError when it cannot be deleted.
        """
        with self._changed:
            if not self._history.check(check_id).status.is_over:
                raise RefusedError("is not over yet; cancel it first", status=409)
            self._history.remove(check_id, for_good=for_good)
            self._bump()

    def deleted(self, check_id: str) -> Check | None:
        """Return the check with this id if it can be restored, else None."""
        return self._history.deleted(check_id)

    def restore(self, check_id: str) -> None:
        """Bring back the check that was deleted last. Raises RefusedError for another one, and OutputError."""
        with self._changed:
            self._history.restore(check_id)
            self._bump()

    def submission(self, check_id: str) -> ClaimSubmission:
        """Return the claim and settings that were submitted for a check."""
        return self._history.check(check_id).sent

    def state(self, check_id: str) -> State:
        """Return the state of a check: its progress, and its position (from 1) in the queue."""
        check, running = self._history.check(check_id), self._running
        place = next((n for n, (waiting, _) in enumerate(self._waiting, 1) if waiting == check_id), None)
        cancelling = running is not None and running.check_id == check_id and running.cancelling
        return state_of(check, place, cancelling and not check.status.is_over)

    def answer(self, check_id: str) -> CheckAnswer:
        """Return the state of a check with its result. Raises RefusedError when the result cannot be read any more."""
        state = self.state(check_id)
        return CheckAnswer(**asdict(state), result=self._history.result(check_id) if state.verdict else None)

    def listing(self, start: int = 0, limit: int = PAGE) -> CheckList:
        """Return at most `limit` checks of the history, newest first, from index `start` (from 0) on."""
        every = self._history.checks()
        after = start + limit
        following = f"/api/checks?start={after}&limit={limit}" if after < len(every) else None
        return CheckList([summary_of(check) for check in every[start:after]], len(every), following)

    def _work(self) -> None:
        while self._is_wanted():
            with self.models_lock:  # a check waits, and can be cancelled, until the models are free
                if (job := self._next()) is None:
                    continue
                outcome = job.run(self._check, partial(self._progress, job))
            with self._changed:
                self._running = None
                self._log.end(job.check_id, outcome)
                self._bump()

    def _is_wanted(self) -> bool:
        """Wait until a check waits; return False when the server is being stopped."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._stopping)
            return not self._stopping

    def _next(self) -> "_Job | None":
        """Begin the next check and return it; None if no check waits any more."""
        with self._changed:
            if not self._waiting:
                return None
            (check_id, request), *rest = self._waiting
            self._log.begin(check_id)  # before it leaves the queue, so that every waiting check has a place
            self._running, self._waiting = _Job(check_id, request, self.limits.seconds), tuple(rest)
            self._bump()
            return self._running

    def _progress(self, job: "_Job", event: ProgressEvent) -> None:
        with self._changed:
            self._log.progress(job.check_id, event, job.seconds)
            self._bump()

    def _bump(self) -> None:
        self.revision += 1
        self._changed.notify_all()


class _Job:
    """One check that the worker thread runs; other threads may call `cancel`."""

    def __init__(self, check_id: str, request: CheckRequest, limit: float) -> None:
        self.check_id = check_id
        self.cancelling = False
        self._request = request
        self._limit = limit
        self._began = time.monotonic()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._began

    def cancel(self) -> None:
        self.cancelling = True

    def run(self, check: CheckFunction, tell: Tell) -> Outcome:
        """Run the check and return how it ended. A result that comes after the time limit still counts."""
        try:
            result = check(self._request, tell, self._is_cancelled)
        except BaseException as error:  # no error of a check may end the worker
            return self._failed(error)
        return Outcome(Status.CANCELLED) if self.cancelling else Outcome(Status.DONE, result=result)

    def _is_cancelled(self) -> bool:
        return self.cancelling or self.seconds > self._limit

    def _failed(self, error: BaseException) -> Outcome:
        if self.cancelling:
            return Outcome(Status.CANCELLED)
        if isinstance(error, Cancelled) and self._is_cancelled():
            return Outcome(Status.FAILED, f"took longer than {self._limit:g} s")
        return failed(error)
