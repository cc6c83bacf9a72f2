"""The queue, its worker, the history and the events of checks."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest
from starlette.testclient import TestClient

from src.check.asking import wrong_url
from src.check.records import CheckedClaim, CheckRequest, ProgressEvent, Sources, Stage, Strategy
from src.check.run_context import Tell
from src.errors import BusyError, Cancelled, InputError, OutputError
from src.report.server import events as events_module
from src.report.server.app import app
from src.report.server.check_service import CheckService, IsCancelled, _Job
from src.report.server.events import RETRY, events
from src.report.server.history import STOPPED, History, _read
from src.report.server.records import LAST_TEXTS, Check, Limits, State, Status, with_event
from src.report.server.submission import ClaimSubmission, request_of
from src.serving.refused import RefusedError
from src.serving.run import secured
from tests.report.server.scripted import HELD, HOME, HOSTS, SLOW, URL, Scripted, ask, checked, over, when
from tests.serving.served import wait_until


@pytest.fixture
def history(folder: Path) -> Iterator[History]:
    with History(folder, 10) as history:
        yield history


@pytest.fixture
def service(history: History, checks: Scripted) -> Iterator[CheckService]:
    """A service that has not begun to work; started in the test, it is stopped after it."""
    service = CheckService(checks, history, Limits())
    yield service
    checks.release.set()
    service.stop()


def queued(service: CheckService, claim: str) -> str:
    return service.ask(ClaimSubmission(claim, urls=[URL])).id


def wait_for(service: CheckService, check_id: str) -> State:
    """Return the state as soon as the check is over."""
    return wait_until(lambda: service.state(check_id), lambda state: state.status.is_over)


def test_a_check_that_takes_too_long_fails(history: History, checks: Scripted) -> None:
    service = CheckService(checks, history, Limits(seconds=0.05))
    check_id = queued(service, f"{SLOW} eels.")
    service.start()
    state = wait_for(service, check_id)
    assert (state.status, state.error) == (Status.FAILED, "took longer than 0.05 s")
    assert state.seconds >= 0
    service.stop()


def test_a_server_that_is_stopped_stops_its_checks(service: CheckService, checks: Scripted) -> None:
    ids = [queued(service, claim) for claim in (f"{HELD} eels.", "Eels wait.")]
    service.start()
    wait_until(lambda: checks.requests, bool)
    service.stop()
    assert [service.state(one).status for one in ids] == [Status.STOPPED] * 2
    with pytest.raises(RefusedError, match="the server is being stopped"):
        queued(service, "Eels again.")
    checks.release.set()
    service.join(60)
    assert [(service.state(one).status, service.state(one).error) for one in ids] == [(Status.STOPPED, STOPPED)] * 2
    assert [request.claim for request in checks.requests] == [f"{HELD} eels."]


def test_a_check_that_is_cancelled_while_it_waits_never_begins(service: CheckService, checks: Scripted) -> None:
    ids = [queued(service, f"Eels {n}.") for n in range(3)]
    assert service.cancel(ids[1]).status is Status.CANCELLED
    service.start()
    wait_for(service, ids[2])
    assert [request.claim for request in checks.requests] == ["Eels 0.", "Eels 2."]


def test_the_worker_outlives_any_error_of_a_check() -> None:
    def quits(*_: object) -> None:
        raise SystemExit(1)

    def gives_up(*_: object) -> None:
        raise Cancelled("the check was cancelled")

    job = _Job("0" * 32, CheckRequest("Eels.", Sources(urls=(URL,))), 300)
    assert job.run(quits, lambda _: None).status is Status.FAILED  # type: ignore[arg-type]
    assert job.run(gives_up, lambda _: None).error == "the check was cancelled"  # type: ignore[arg-type]


def test_a_result_that_cannot_be_written_fails_its_check_alone(
    history: History, checks: Scripted, capsys: pytest.CaptureFixture[str]
) -> None:
    def check(request: CheckRequest, /, tell: Tell, is_cancelled: IsCancelled) -> CheckedClaim:
        result = checks(request, tell, is_cancelled)
        if request.claim == "Bad eels.":
            result.notes.append("\udcff")
        return result

    service = CheckService(check, history, Limits())
    bad, good = (queued(service, claim) for claim in ("Bad eels.", "Good eels."))
    service.start()
    wait_for(service, good)
    service.stop()
    assert [service.state(one).status for one in (bad, good)] == [Status.FAILED, Status.DONE]
    assert service.state(bad).error.startswith("a fault of the program: UnicodeEncodeError")
    assert "UnicodeEncodeError" in capsys.readouterr().err


def test_a_check_that_begins_is_never_without_a_place(service: CheckService, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[Status, int | None]] = []
    write = History.write

    def watched(self: History, check: Check, result: CheckedClaim | None = None) -> None:
        state = service.state(check.id)
        seen.append((state.status, state.place))
        write(self, check, result)

    check_id = queued(service, "Eels swim.")
    monkeypatch.setattr(History, "write", watched)
    service.start()
    wait_for(service, check_id)
    assert seen[0] == (Status.WAITING, 1)


def test_stages_are_in_order_of_their_first_events_with_their_last_texts() -> None:
    stages = with_event((), ProgressEvent(Stage.PAGES), 0.26)
    for number in range(9):
        stages = with_event(stages, ProgressEvent(Stage.PAGES, number, 9, str(number)), 5.0)
    stages = with_event(stages, ProgressEvent(Stage.RETRIEVAL), 7.0)
    stages = with_event(stages, ProgressEvent(Stage.PAGES, 9, 9), 8.0)
    assert [(one.stage, one.at) for one in stages] == [(Stage.PAGES, 0.3), (Stage.RETRIEVAL, 7.0)]
    assert (stages[0].done, stages[0].texts) == (9, tuple("45678"))
    assert len(stages[0].texts) == LAST_TEXTS


def test_a_submission_becomes_a_request() -> None:
    sent = ClaimSubmission("\u0000Eels\u0085 swim.", urls=["HTTP://Eels.example:8080?a", URL, URL])
    assert request_of(sent, []) == CheckRequest(
        "Eels swim.", Sources(urls=("HTTP://Eels.example:8080?a", URL)), every_set=True
    )


@pytest.mark.parametrize(("port", "is_good"), [(1, True), (64_999, True), (65_000, True), (65_535, True), (0, False),
                                               (65_536, False), (70_000, False), (100_000, False)])  # fmt: skip
def test_the_server_and_the_command_line_take_the_same_ports(port: int, is_good: bool) -> None:
    url = f"https://eels.example:{port}/"
    assert (wrong_url(url) == "") is is_good
    sent = ClaimSubmission("Eels swim.", urls=[url])
    if is_good:
        assert request_of(sent, []).sources.urls == (url,)
    else:
        with pytest.raises(InputError, match=r"field urls\[0\]: .* is no http or https address"):
            request_of(sent, [])


def test_a_check_that_waits_is_cancelled_on_a_full_disk_too(
    service: CheckService, checks: Scripted, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise OutputError("cannot write x.json: No space left on device")

    check_id = queued(service, "Eels wait.")
    with monkeypatch.context() as patched:
        patched.setattr(History, "write", full)
        state = service.cancel(check_id)
    assert (state.status, state.error, state.place) == (Status.CANCELLED, "", None)
    assert "No space left" in capsys.readouterr().err
    service.start()
    wait_for(service, queued(service, "Eels swim."))
    assert [request.claim for request in checks.requests] == ["Eels swim."]


def test_a_check_waits_until_the_models_are_free_and_can_be_cancelled(service: CheckService, checks: Scripted) -> None:
    with service.models_lock:
        service.start()
        first, second = queued(service, "Eels swim."), queued(service, "Eels fly.")
        time.sleep(0.5)  # enough for a check that does not wait
        assert service.cancel(first).status is Status.CANCELLED
        assert (service.state(second).status, service.state(second).place) == (Status.WAITING, 1)
        assert checks.requests == []
    assert wait_for(service, second).status is Status.DONE
    assert [request.claim for request in checks.requests] == ["Eels fly."]


# Events


def read(event: bytes) -> tuple[str, str, State]:
    name, number, data = event.decode().strip().split("\n")
    state = msgspec.json.decode(data.removeprefix("data: "), type=State)
    return name.removeprefix("event: "), number.removeprefix("id: "), state


async def after_retry(stream: AsyncIterator[bytes]) -> bytes:
    assert await anext(stream) == RETRY
    return await anext(stream)


def test_every_change_is_an_event_and_the_last_is_the_end(service: CheckService, checks: Scripted) -> None:
    check_id = queued(service, f"{HELD} eels.")

    async def followed() -> list[tuple[str, str, State]]:
        stream = events(service, check_id)
        first = read(await after_retry(stream))
        service.start()
        second = read(await anext(stream))
        checks.release.set()
        return [first, second, *[read(event) async for event in stream]]

    received = asyncio.run(followed())
    assert [name for name, _, _ in received] == ["state"] * (len(received) - 1) + ["end"]
    assert received[0][2].place == 1
    assert (received[-1][2].status, received[-1][2].verdict) == (Status.DONE, "Supported")
    numbers = [int(number) for _, number, _ in received]
    assert numbers == sorted(set(numbers))


def test_a_client_that_reconnects_gets_no_event_twice(service: CheckService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events_module, "HEARTBEAT", 0.0)
    check_id = queued(service, "Eels wait.")
    _, number, _ = read(asyncio.run(after_retry(events(service, check_id))))
    assert asyncio.run(after_retry(events(service, check_id, number))) == b": still here\n\n"
    service.cancel(check_id)
    name, later, state = read(asyncio.run(after_retry(events(service, check_id, number))))
    assert (name, state.status, int(later) > int(number)) == ("end", Status.CANCELLED, True)


def test_other_checks_make_an_event_only_if_the_place_in_the_queue_changes(service: CheckService) -> None:
    ids = [queued(service, f"Eels {n}.") for n in range(2)]

    async def followed() -> list[State]:
        stream = events(service, ids[1])
        first = read(await after_retry(stream))[2]
        queued(service, "Eels behind it.")
        service.cancel(ids[0])
        return [first, read(await anext(stream))[2]]

    assert [state.place for state in asyncio.run(followed())] == [2, 1]


def test_a_check_that_is_deleted_ends_its_events(service: CheckService) -> None:
    check_id = queued(service, "Eels wait.")

    async def followed() -> list[bytes]:
        stream = events(service, check_id)
        await after_retry(stream)
        service.cancel(check_id)
        service.delete(check_id)
        return [event async for event in stream]

    assert asyncio.run(followed()) == []


def test_a_change_while_the_state_is_read_is_not_missed(service: CheckService, monkeypatch: pytest.MonkeyPatch) -> None:
    check_id = queued(service, "Eels wait.")
    state_of = events_module._state

    def cancelled_meanwhile(service: CheckService, check_id: str) -> State | None:
        state = state_of(service, check_id)
        service.cancel(check_id)
        return state

    async def followed() -> list[bytes]:
        monkeypatch.setattr(events_module, "_state", cancelled_meanwhile)
        return [event async for event in events(service, check_id)]

    monkeypatch.setattr(events_module, "HEARTBEAT", float("inf"))
    _, first, last = asyncio.run(asyncio.wait_for(followed(), 60))
    assert [read(first)[0], read(last)[0]] == ["state", "end"]


# History


def served(folder: Path, checks: Scripted, limits: Limits) -> tuple[History, TestClient]:
    history = History(folder, limits.kept)
    return history, TestClient(secured(app(CheckService(checks, history, limits)), HOSTS, ""), base_url=HOME)


def listed(client: TestClient) -> list[str]:
    return [one["id"] for one in client.get("/api/checks").json()["checks"]]


def test_checks_are_there_after_a_restart_and_those_cut_off_are_stopped(
    folder: Path, checks: Scripted, limits: Limits
) -> None:
    history, client = served(folder, checks, limits)
    with history, client:
        done = ask(client, "Eels swim.")
        over(client, done)
        slow, waiting = ask(client, f"{SLOW} eels."), ask(client, "Eels wait.")
        when(client, slow, "working")
        cut = {path.name: path.read_bytes() for path in folder.glob("*.json")}
    for name, data in cut.items():  # as a server that was killed has left them
        (folder / name).write_bytes(data)
    history, client = served(folder, Scripted(), limits)
    with history, client:
        assert listed(client) == [waiting, slow, done]
        assert client.get(f"/api/check/{done}").json()["result"]["prediction"]["pred_label"] == "Supported"
        for check_id in (slow, waiting):
            state = client.get(f"/api/check/{check_id}").json()
            assert (state["status"], state["error"]) == ("stopped", STOPPED)
            assert client.get(f"/api/check/{check_id}/events").text.count("event: end") == 1


def test_damaged_files_are_left_out_with_a_line_each(
    folder: Path, checks: Scripted, limits: Limits, capsys: pytest.CaptureFixture[str]
) -> None:
    history, client = served(folder, checks, limits)
    with history, client:
        good, moved, torn = ask(client), ask(client), ask(client)
        for check_id in (good, moved, torn):
            over(client, check_id)
    (folder / f"{moved}.json").rename(folder / f"{'0' * 32}.json")
    (folder / f"{torn}.json").write_bytes((folder / f"{torn}.json").read_bytes()[:100])
    (folder / "x.json").write_text("[]", "utf-8")
    (folder / f"{'1' * 32}.json").mkdir()
    capsys.readouterr()
    history, client = served(folder, checks, limits)
    with history, client:
        assert listed(client) == [good]
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 4
    assert all("left out" in line and str(folder) in line for line in lines)


def test_a_result_that_is_damaged_later_is_refused(
    client: TestClient, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check_id = ask(client)
    over(client, check_id)
    (folder / f"{check_id}.json").write_text("{", "utf-8")
    answer = client.get(f"/api/check/{check_id}")
    assert (answer.status_code, answer.json()["field"]) == (500, "")
    assert client.get(f"/check/{check_id}").status_code == 500
    (folder / f"{check_id}.json").unlink()
    assert client.get(f"/api/check/{check_id}").status_code == 500
    assert client.get("/").status_code == 200
    assert client.delete(f"/api/check/{check_id}").status_code == 204
    assert f"{check_id}.json" in capsys.readouterr().err


def test_the_oldest_checks_that_are_over_are_removed(folder: Path, checks: Scripted) -> None:
    history, client = served(folder, checks, Limits(kept=2))
    with history, client:
        ids = [ask(client, f"Eels {n}.") for n in range(4)]
        over(client, ids[-1])
        assert listed(client) == ids[:1:-1]
    assert sorted(path.stem for path in folder.glob("*.json")) == sorted(ids[2:])


def test_a_check_that_just_ended_stays_however_many_wait(folder: Path, checks: Scripted) -> None:
    history, client = served(folder, checks, Limits(kept=1))
    with history, client:
        first = ask(client, f"{HELD} eels.")
        waiting = [ask(client, f"{SLOW} {n}.") for n in range(3)]
        checks.release.set()
        assert over(client, first)["result"]
        for check_id in waiting:
            client.post(f"/api/check/{check_id}/cancel", json={})


def test_an_old_check_that_cannot_be_removed_hinders_no_new_one(
    folder: Path, checks: Scripted, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    history, client = served(folder, checks, Limits(kept=1))
    with history, client:
        over(client, ask(client))
        monkeypatch.setattr(Path, "unlink", refuse)
        assert over(client, ask(client))["status"] == "done"
    assert "cannot remove" in capsys.readouterr().err


def test_a_reader_never_sees_more_checks_than_are_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Checks are removed before the one that replaces them is shown: a reader takes no lock."""
    seen: list[int] = []
    unlink = Path.unlink

    def watched(path: Path, **how: Any) -> None:
        seen.append(len(two.checks()))
        unlink(path, **how)

    with History(folder, 2) as two:
        monkeypatch.setattr(Path, "unlink", watched)
        for number in range(4):
            asked_at = datetime(2024, 1, number + 1, tzinfo=UTC)
            submission = ClaimSubmission("Eels swim.", urls=[URL])
            two.write(Check(f"{number:032x}", submission, Status.DONE, asked_at, ended_at=asked_at))
    assert seen == [2, 2]


def test_one_server_at_a_time_uses_a_history_which_is_a_folder(folder: Path, tmp_path: Path) -> None:
    with History(folder, 5), pytest.raises(BusyError):
        History(folder, 5)
    with History(folder, 5) as history:
        assert history.checks() == []
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="is a file; name a folder"):
        History(tmp_path / "file", 5)


def test_a_result_that_an_earlier_version_wrote_is_read(history: History, folder: Path) -> None:
    submission = ClaimSubmission('The "road": a claim.', urls=[URL], strategy=Strategy.PROGRAMS)
    result = checked(request_of(submission, []))
    history.write(Check("a" * 32, submission, Status.DONE, datetime.now(UTC)), result)
    (path,) = folder.glob("*.json")
    path.write_bytes(path.read_bytes().replace(b'"strategy":', b'"road":'))
    assert history.result("a" * 32) == result
    assert _read(path) == history.check("a" * 32)
