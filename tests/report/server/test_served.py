"""The server as a process: many clients at once, signals, bytes that no client library would send."""

import os
import signal
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest
import requests

from src.report.server.history import STOPPED
from src.report.server.records import Status, StoredCheck
from tests.report.server.scripted import HELD, SLOW, URL
from tests.report.server.served import served
from tests.serving.served import PATIENCE, wait_until

pytestmark = pytest.mark.long

CLIENTS = 50


def ask(address: str, claim: str) -> str:
    answer = requests.post(f"{address}api/check", json={"claim": claim, "urls": [URL]}, timeout=PATIENCE)
    assert answer.status_code == 202, answer.text
    check_id: str = answer.json()["id"]
    return check_id


def wait_for(address: str, check_id: str, status: str) -> None:
    wait_until(
        lambda: requests.get(f"{address}api/check/{check_id}", timeout=PATIENCE).json()["status"],
        lambda current: current == status,
    )


def statuses(folder: Path) -> list[tuple[Status, str]]:
    stored = [msgspec.json.decode(path.read_bytes(), type=StoredCheck) for path in folder.glob("*.json")]
    return [(one.status, one.error) for one in sorted(stored, key=lambda one: one.asked_at)]


def test_fifty_clients_at_once_each_follow_their_check_to_its_end(project_root: Path, folder: Path) -> None:
    ready = threading.Barrier(CLIENTS)

    def follow(number: int) -> str:
        ready.wait(PATIENCE)
        check_id = ask(address, f"Eels {number}.")
        events = requests.get(f"{address}api/check/{check_id}/events", timeout=PATIENCE).text
        assert events.count("event: end") == 1
        state = requests.get(f"{address}api/check/{check_id}", timeout=PATIENCE).json()
        assert state["sent"]["claim"] == f"Eels {number}."
        assert f"Eels {number}." in requests.get(f"{address}check/{check_id}", timeout=PATIENCE).text
        return str(state["status"])

    with served(project_root, folder, waiting=CLIENTS) as (address, _), ThreadPoolExecutor(CLIENTS) as pool:
        assert list(pool.map(follow, range(CLIENTS))) == ["done"] * CLIENTS


def test_fifty_that_follow_one_check_hinder_nobody(project_root: Path, folder: Path) -> None:
    with served(project_root, folder) as (address, _), ThreadPoolExecutor(CLIENTS) as pool:
        check_id = ask(address, f"{SLOW} eels.")
        begun = [
            requests.get(f"{address}api/check/{check_id}/events", stream=True, timeout=PATIENCE) for _ in range(CLIENTS)
        ]
        assert requests.get(address, timeout=PATIENCE).status_code == 200
        requests.post(f"{address}api/check/{check_id}/cancel", json={}, timeout=PATIENCE)
        assert [text.count("event: end") for text in pool.map(lambda one: one.text, begun)] == [1] * CLIENTS


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, -signal.SIGTERM), (signal.SIGINT, 130)])
@pytest.mark.parametrize("word", [SLOW, HELD])
def test_a_signal_stops_checks_and_leaves_whole_files(
    project_root: Path, folder: Path, number: int, code: int, word: str
) -> None:
    """Also where the check does not react: the process waits only briefly for it."""
    with served(project_root, folder) as (address, process):
        working = ask(address, f"{word} eels.")
        ask(address, "Eels wait.")
        wait_for(address, working, "working")
        events = requests.get(f"{address}api/check/{working}/events", stream=True, timeout=PATIENCE)
        process.send_signal(number)
        assert process.wait(PATIENCE) == code
        assert '"status":"stopped"' in events.text
        assert process.stderr is not None
        lines = process.stderr.read().splitlines()
    assert lines == (["stopped; start it again to go on from here"] if number == signal.SIGINT else [])
    assert statuses(folder) == [(Status.STOPPED, STOPPED)] * 2
    assert [path.name for path in folder.iterdir() if path.suffix != ".json"] == [".lock"]


def test_a_server_that_is_killed_leaves_its_checks_to_the_next(project_root: Path, folder: Path) -> None:
    with served(project_root, folder) as (address, process):
        check_id = ask(address, f"{SLOW} eels.")
        wait_for(address, check_id, "working")
        os.kill(process.pid, signal.SIGKILL)
        process.wait(PATIENCE)
    with served(project_root, folder) as (address, _):
        state = requests.get(f"{address}api/check/{check_id}", timeout=PATIENCE).json()
        assert (state["status"], state["error"]) == ("stopped", STOPPED)


def test_a_second_server_of_the_same_history_is_refused(project_root: Path, folder: Path) -> None:
    with served(project_root, folder), served(project_root, folder) as (address, second):
        assert (address, second.wait(PATIENCE)) == ("", 2)


def raw(address: str, sent: bytes) -> bytes:
    """What comes back until the server ends the connection."""
    host, _, port = address.removeprefix("http://").rstrip("/").partition(":")
    with socket.create_connection((host, int(port)), timeout=PATIENCE) as connection:
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(65536), b""))


def test_bytes_that_are_no_sound_request_break_nothing(project_root: Path, folder: Path) -> None:
    with served(project_root, folder) as (address, process):
        host = address.removeprefix("http://").rstrip("/").encode()
        head = b"POST /api/check HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nConnection: close\r\n" % host
        chunks = b"".join(b"%x\r\n%s\r\n" % (8000, b" " * 8000) for _ in range(51))
        answers = [
            raw(address, head + b"Transfer-Encoding: chunked\r\n\r\n" + chunks + b"0\r\n\r\n"),
            raw(address, head + b"Content-Length: 99999999\r\n\r\n" + b" " * 410_000),
            raw(address, head + b"Content-Length: 100\r\n\r\n{"),
            raw(address, head + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}"),
            raw(address, head + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n"),
            raw(address, b"\x00\xff\r\n\r\n"),
            raw(address, b"GET / HTTP/1.1\r\n\r\n"),
            raw(address, b"GET /%s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n" % (b"a" * 9000, host)),
        ]
        codes = [answer.split(b" ", 2)[1] if answer else b"" for answer in answers]
        assert codes == [b"413", b"413", b"", b"400", b"400", b"400", b"400", b"404"]
        assert requests.get(address, timeout=PATIENCE).status_code == 200
        process.terminate()
        assert "Traceback" not in process.communicate(timeout=PATIENCE)[1]


def test_the_step_says_what_is_wrong_in_one_line(project_root: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = str(other.getsockname()[1])
        (tmp_path / "file").touch()
        for flags, message in (
            (["--port", taken], f"--host 127.0.0.1 --port {taken}: Address already in use"),
            (["--port", "70000"], "--port 70000: the last one is 65535"),
            (["--host", "0.0.0.0"], "--host 0.0.0.0: name the one address that browsers"),
            (
                ["--names", "*"],
                "--names '*' is no host name, such as facts.example, or [::1]; no port",
            ),
            (["--names", "a*b"], "--names 'a*b' is no host name"),
            (["--history", str(tmp_path / "file")], f"{tmp_path}/file: is a file; name a folder"),
            (["--seconds", "0"], "argument --seconds: 0 is not above 0"),
            (["--via", "x"], "argument --via: 'x' is not the beginning of an address"),
        ):
            command = ["-m", "src.report.serve", "--history", str(tmp_path / "checks"), "--port", "0", *flags]
            done = subprocess.run(
                [sys.executable, *command], cwd=project_root, capture_output=True, text=True, timeout=PATIENCE * 4
            )
            assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
            assert done.stderr.startswith(f"error: {message}")
            assert done.stdout == ""
