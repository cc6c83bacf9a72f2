"""The queue, its one worker, and the time that a check has."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from src.check.records import CheckedClaim, CheckRequest, ProgressEvent, Sources, Stage
from src.check.run_context import Tell
from src.errors import Cancelled
from src.report.server.checks import IsCancelled
from src.report.server.history import STOPPED, History
from src.report.server.job import Work
from src.report.server.jobs import Jobs
from src.report.server.limits import Limits
from src.report.server.records import LAST_TEXTS, Check, Status, told_stages
from src.report.server.schemas import Sent
from src.serving.refused import RefusedError
from tests.report.server.asking import URL
from tests.report.server.scripted import HELD, SLOW, Scripted


@pytest.fixture
def history(folder: Path) -> Iterator[History]:
    with History(folder, 10) as found:
        yield found


def asked(claim: str) -> tuple[Sent, CheckRequest]:
    return Sent(claim, urls=[URL]), CheckRequest(claim, Sources(urls=(URL,)))


def test_a_check_that_takes_too_long_fails(history: History, checks: Scripted) -> None:
    jobs = Jobs(checks, history, Limits(seconds=0.05))
    check = jobs.ask(*asked(f"{SLOW} eels."))
    jobs.start()
    while not (state := jobs.state(check.id)).status.is_over:
        pass
    assert (state.status, state.error) == (Status.FAILED, "took longer than 0.05 s")
    assert state.seconds >= 0
    jobs.stop()
    jobs.join(30)


def test_whoever_stops_the_server_stops_the_checks(history: History, checks: Scripted) -> None:
    jobs = Jobs(checks, history, Limits())
    ids = [jobs.ask(*asked(claim)).id for claim in (f"{HELD} eels.", "Eels wait.")]
    jobs.start()
    while not checks.asked:
        pass
    jobs.stop()
    assert [jobs.state(one).status for one in ids] == [Status.STOPPED] * 2
    with pytest.raises(RefusedError, match="the server is being stopped"):
        jobs.ask(*asked("Eels again."))
    checks.release.set()
    jobs.join(30)
    assert [(jobs.state(one).status, jobs.state(one).error) for one in ids] == [(Status.STOPPED, STOPPED)] * 2
    assert [claim.claim for claim in checks.asked] == [f"{HELD} eels."]


def test_checks_that_nobody_wants_any_more_are_never_begun(history: History, checks: Scripted) -> None:
    jobs = Jobs(checks, history, Limits())
    ids = [jobs.ask(*asked(f"Eels {n}.")).id for n in range(3)]
    assert jobs.cancel(ids[1]).status is Status.CANCELLED
    jobs.start()
    while not jobs.state(ids[2]).status.is_over:
        pass
    jobs.stop()
    jobs.join(30)
    assert [claim.claim for claim in checks.asked] == ["Eels 0.", "Eels 2."]


def test_the_worker_outlives_whatever_a_check_raises() -> None:
    def quits(*_: object) -> None:
        raise SystemExit(1)

    def gives_up(*_: object) -> None:
        raise Cancelled("the check was cancelled")

    work = Work("0" * 32, CheckRequest("Eels.", Sources(urls=(URL,))), 300)
    assert work.outcome(quits, lambda _: None).status is Status.FAILED  # type: ignore[arg-type]
    assert work.outcome(gives_up, lambda _: None).error == "the check was cancelled"  # type: ignore[arg-type]


def test_what_cannot_be_written_fails_its_check_and_not_the_next(
    history: History, checks: Scripted, capsys: pytest.CaptureFixture[str]
) -> None:
    def answers(asked: CheckRequest, tell: Tell, is_cancelled: IsCancelled) -> CheckedClaim:
        found = checks(asked, tell, is_cancelled)
        if asked.claim == "Bad eels.":
            found.notes.append("\udcff")
        return found

    jobs = Jobs(answers, history, Limits())
    bad, good = (jobs.ask(*asked(claim)).id for claim in ("Bad eels.", "Good eels."))
    jobs.start()
    while not jobs.state(good).status.is_over:
        pass
    jobs.stop()
    jobs.join(30)
    assert [jobs.state(one).status for one in (bad, good)] == [Status.FAILED, Status.DONE]
    assert jobs.state(bad).error.startswith("a fault of the program: UnicodeEncodeError")
    assert "UnicodeEncodeError" in capsys.readouterr().err


def test_a_check_that_begins_is_never_without_a_place(
    history: History, checks: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = Jobs(checks, history, Limits())
    seen: list[tuple[Status, int | None]] = []
    write = History.write

    def watched(self: History, check: Check, result: CheckedClaim | None = None) -> None:
        state = jobs.state(check.id)
        seen.append((state.status, state.place))
        write(self, check, result)

    check = jobs.ask(*asked("Eels swim."))
    monkeypatch.setattr(History, "write", watched)
    jobs.start()
    while not jobs.state(check.id).status.is_over:
        pass
    jobs.stop()
    jobs.join(30)
    assert seen[0] == (Status.WAITING, 1)


def test_stages_stand_where_they_were_first_heard_of_with_their_last_texts() -> None:
    stages = told_stages((), ProgressEvent(Stage.PAGES), 0.26)
    for number in range(9):
        stages = told_stages(stages, ProgressEvent(Stage.PAGES, number, 9, str(number)), 5.0)
    stages = told_stages(stages, ProgressEvent(Stage.RETRIEVAL), 7.0)
    stages = told_stages(stages, ProgressEvent(Stage.PAGES, 9, 9), 8.0)
    assert [(one.stage, one.at) for one in stages] == [(Stage.PAGES, 0.3), (Stage.RETRIEVAL, 7.0)]
    assert (stages[0].done, stages[0].texts) == (9, tuple("45678"))
    assert len(stages[0].texts) == LAST_TEXTS
