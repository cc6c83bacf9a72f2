"""The queue, its one worker, and the time that a check has."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from src.check.records import CheckedClaim, CheckRequest, ProgressEvent, Sources, Stage
from src.check.run_context import Tell
from src.errors import Cancelled
from src.report.server.check_service import CheckService, IsCancelled, _Job
from src.report.server.history import STOPPED, History
from src.report.server.records import LAST_TEXTS, Check, Limits, Status, with_event
from src.report.server.submission import ClaimSubmission
from src.serving.refused import RefusedError
from tests.report.server.asking import URL
from tests.report.server.scripted import HELD, SLOW, Scripted


@pytest.fixture
def history(folder: Path) -> Iterator[History]:
    with History(folder, 10) as found:
        yield found


def request(claim: str) -> ClaimSubmission:
    return ClaimSubmission(claim, urls=[URL])


def test_a_check_that_takes_too_long_fails(history: History, checks: Scripted) -> None:
    service = CheckService(checks, history, Limits(seconds=0.05))
    check = service.ask(request(f"{SLOW} eels."))
    service.start()
    while not (state := service.state(check.id)).status.is_over:
        pass
    assert (state.status, state.error) == (Status.FAILED, "took longer than 0.05 s")
    assert state.seconds >= 0
    service.stop()
    service.join(30)


def test_whoever_stops_the_server_stops_the_checks(history: History, checks: Scripted) -> None:
    service = CheckService(checks, history, Limits())
    ids = [service.ask(request(claim)).id for claim in (f"{HELD} eels.", "Eels wait.")]
    service.start()
    while not checks.asked:
        pass
    service.stop()
    assert [service.state(one).status for one in ids] == [Status.STOPPED] * 2
    with pytest.raises(RefusedError, match="the server is being stopped"):
        service.ask(request("Eels again."))
    checks.release.set()
    service.join(30)
    assert [(service.state(one).status, service.state(one).error) for one in ids] == [(Status.STOPPED, STOPPED)] * 2
    assert [claim.claim for claim in checks.asked] == [f"{HELD} eels."]


def test_checks_that_nobody_wants_any_more_are_never_begun(history: History, checks: Scripted) -> None:
    service = CheckService(checks, history, Limits())
    ids = [service.ask(request(f"Eels {n}.")).id for n in range(3)]
    assert service.cancel(ids[1]).status is Status.CANCELLED
    service.start()
    while not service.state(ids[2]).status.is_over:
        pass
    service.stop()
    service.join(30)
    assert [claim.claim for claim in checks.asked] == ["Eels 0.", "Eels 2."]


def test_the_worker_outlives_whatever_a_check_raises() -> None:
    def quits(*_: object) -> None:
        raise SystemExit(1)

    def gives_up(*_: object) -> None:
        raise Cancelled("the check was cancelled")

    job = _Job("0" * 32, CheckRequest("Eels.", Sources(urls=(URL,))), 300)
    assert job.run(quits, lambda _: None).status is Status.FAILED  # type: ignore[arg-type]
    assert job.run(gives_up, lambda _: None).error == "the check was cancelled"  # type: ignore[arg-type]


def test_what_cannot_be_written_fails_its_check_and_not_the_next(
    history: History, checks: Scripted, capsys: pytest.CaptureFixture[str]
) -> None:
    def answers(asked: CheckRequest, /, tell: Tell, is_cancelled: IsCancelled) -> CheckedClaim:
        found = checks(asked, tell, is_cancelled)
        if asked.claim == "Bad eels.":
            found.notes.append("\udcff")
        return found

    service = CheckService(answers, history, Limits())
    bad, good = (service.ask(request(claim)).id for claim in ("Bad eels.", "Good eels."))
    service.start()
    while not service.state(good).status.is_over:
        pass
    service.stop()
    service.join(30)
    assert [service.state(one).status for one in (bad, good)] == [Status.FAILED, Status.DONE]
    assert service.state(bad).error.startswith("a fault of the program: UnicodeEncodeError")
    assert "UnicodeEncodeError" in capsys.readouterr().err


def test_a_check_that_begins_is_never_without_a_place(
    history: History, checks: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = CheckService(checks, history, Limits())
    seen: list[tuple[Status, int | None]] = []
    write = History.write

    def watched(self: History, check: Check, result: CheckedClaim | None = None) -> None:
        state = service.state(check.id)
        seen.append((state.status, state.place))
        write(self, check, result)

    check = service.ask(request("Eels swim."))
    monkeypatch.setattr(History, "write", watched)
    service.start()
    while not service.state(check.id).status.is_over:
        pass
    service.stop()
    service.join(30)
    assert seen[0] == (Status.WAITING, 1)


def test_stages_stand_where_they_were_first_heard_of_with_their_last_texts() -> None:
    stages = with_event((), ProgressEvent(Stage.PAGES), 0.26)
    for number in range(9):
        stages = with_event(stages, ProgressEvent(Stage.PAGES, number, 9, str(number)), 5.0)
    stages = with_event(stages, ProgressEvent(Stage.RETRIEVAL), 7.0)
    stages = with_event(stages, ProgressEvent(Stage.PAGES, 9, 9), 8.0)
    assert [(one.stage, one.at) for one in stages] == [(Stage.PAGES, 0.3), (Stage.RETRIEVAL, 7.0)]
    assert (stages[0].done, stages[0].texts) == (9, tuple("45678"))
    assert len(stages[0].texts) == LAST_TEXTS
