"""Event log of checks in the history: begin, progress, end. A check that is over does not change."""

from datetime import UTC, datetime

from msgspec.structs import replace

from src.check.records import ProgressEvent
from src.errors import OutputError
from src.report.server.history import History
from src.report.server.job import Outcome, failed
from src.report.server.records import Check, Status, told_stages
from src.runner.console import say_error


class Book:
    """Event log, for one thread at a time."""

    def __init__(self, history: History) -> None:
        self._history = history

    def begin(self, check_id: str) -> None:
        check = self._history.check(check_id)
        self._keep(replace(check, status=Status.WORKING, began_at=datetime.now(UTC)))

    def hear(self, check_id: str, told: ProgressEvent, seconds: float) -> None:
        if (check := self._open(check_id)) is not None:
            self._history.note(replace(check, stages=told_stages(check.stages, told, seconds)))

    def end(self, check_id: str, outcome: Outcome) -> None:
        if (check := self._open(check_id)) is not None:
            self._keep(_ended(check, outcome), outcome)

    def _open(self, check_id: str) -> Check | None:
        """Return the check, None if it is over or deleted."""
        found = self._history.find(check_id)
        return None if found is None or found.status.is_over else found

    def _keep(self, check: Check, outcome: Outcome | None = None) -> None:
        """Write the check; if that fails, a check that is over becomes failed, since its result cannot be read."""
        try:
            self._history.write(check, outcome.result if outcome else None)
        except Exception as error:
            if isinstance(error, OutputError):
                say_error(str(error))
            self._history.note(_ended(check, failed(error)) if check.status.is_over else check)


def _ended(check: Check, outcome: Outcome) -> Check:
    found = outcome.result.prediction if outcome.result else None
    return replace(
        check,
        status=outcome.status,
        error=outcome.error,
        verdict=found.pred_label if found else None,
        level=found.level if found else None,
        verdict_set=found.verdict_set if found else None,
        ended_at=datetime.now(UTC),
    )
