"""What stays of checks when the server ends, and what of files that somebody else has touched."""

from pathlib import Path

import msgspec
import pytest
from starlette.testclient import TestClient

from src.check.records import CheckRequest, Sources
from src.errors import BusyError, InputError
from src.report.server.app import app
from src.report.server.check_service import CheckService
from src.report.server.history import STOPPED, History
from src.report.server.records import Check, Limits, Status
from src.report.server.submission import ClaimSubmission, request_of
from tests.report.server.asking import HOME, HOSTS, URL, ask, over, when
from tests.report.server.scripted import HELD, SLOW, Scripted


def served(folder: Path, checks: Scripted, limits: Limits) -> tuple[History, TestClient]:
    history = History(folder, limits.kept)
    return history, TestClient(app(CheckService(checks, history, limits), HOSTS), base_url=HOME)


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
        assert [one["id"] for one in client.get("/api/checks").json()["checks"]] == [waiting, slow, done]
        assert client.get(f"/api/check/{done}").json()["result"]["prediction"]["pred_label"] == "Supported"
        for check_id in (slow, waiting):
            found = client.get(f"/api/check/{check_id}").json()
            assert (found["status"], found["error"]) == ("stopped", STOPPED)
            assert client.get(f"/api/check/{check_id}/events").text.count("event: end") == 1


def test_a_server_that_ends_leaves_its_checks_stopped(folder: Path, checks: Scripted, limits: Limits) -> None:
    history, client = served(folder, checks, limits)
    with history, client:
        ids = [ask(client, f"{SLOW} eels."), ask(client, "Eels wait.")]
        when(client, ids[0], "working")
    kept = [msgspec.json.decode((folder / f"{one}.json").read_bytes(), type=Check) for one in ids]
    assert [(one.status, one.error) for one in kept] == [(Status.STOPPED, STOPPED)] * 2
    assert checks.ended == [f"{SLOW} eels."]


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
        assert [one["id"] for one in client.get("/api/checks").json()["checks"]] == [good]
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 4
    assert all("left out" in line and str(folder) in line for line in lines)


def test_a_result_that_is_damaged_later_is_told(
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


def test_the_oldest_that_are_over_go_first(folder: Path, checks: Scripted) -> None:
    history, client = served(folder, checks, Limits(kept=2))
    with history, client:
        ids = [ask(client, f"Eels {n}.") for n in range(4)]
        for check_id in ids[2:]:
            over(client, check_id)
        assert [one["id"] for one in client.get("/api/checks").json()["checks"]] == ids[:1:-1]
    assert sorted(path.stem for path in folder.glob("*.json")) == sorted(ids[2:])


def test_one_server_at_a_time_holds_a_history(folder: Path) -> None:
    with History(folder, 5), pytest.raises(BusyError):
        History(folder, 5)
    with History(folder, 5) as history:
        assert history.checks() == []


def test_a_history_is_a_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="is a file; name a folder"):
        History(tmp_path / "file", 5)


def test_what_is_sent_becomes_what_is_asked() -> None:
    sent = ClaimSubmission("\u0000Eels\u0085 swim.", urls=["HTTP://Eels.example:8080?a", URL, URL])
    assert request_of(sent, []) == CheckRequest("Eels swim.", Sources(urls=("HTTP://Eels.example:8080?a", URL)))


def test_what_is_just_done_stays_however_many_wait(folder: Path, checks: Scripted) -> None:
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
    history, client = served(folder, checks, Limits(kept=1))
    with history, client:
        over(client, ask(client))
        monkeypatch.setattr(Path, "unlink", refuse)
        assert over(client, ask(client))["status"] == "done"
    assert "cannot remove" in capsys.readouterr().err


def refuse(*_: object, **__: object) -> None:
    raise PermissionError(13, "Permission denied")
