"""Signals, idle, slow and too many connections."""

import errno
import logging
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from src.serving.connections import RepeatedLineFilter

pytestmark = pytest.mark.long

SERVER = """
import asyncio
import resource
import sys
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.routing import Route
from src.serving import connections
from src.serving.run import serve

files, seconds = int(sys.argv[1]), float(sys.argv[2])
connections.HEAD_SECONDS = seconds
if len(sys.argv) > 3:
    connections.most_connections = lambda: int(sys.argv[3])

async def page(request):
    return PlainTextResponse("here")

async def slow(request):
    await asyncio.sleep(5 * seconds)
    return PlainTextResponse("late")

async def begun():
    yield b"begun"
    await asyncio.sleep(3600)

async def never(request):
    return StreamingResponse(begun())

resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
app = Starlette(routes=[Route("/", page), Route("/slow", slow), Route("/never", never)])
serve(app, "127.0.0.1", 0, "ready", "nothing")
"""
LONG = 3600.0


@contextmanager
def served(project_root: Path, log: Path, *arguments: object) -> Iterator[int]:
    """Gives the port of a server of so many open files and seconds for a head; its stderr goes into the log."""
    command = [sys.executable, "-c", SERVER, *map(str, arguments)]
    with (
        log.open("wb") as errors,
        subprocess.Popen(command, cwd=project_root, stdout=subprocess.PIPE, stderr=errors, text=True) as process,
    ):
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline().rstrip("/\n").rpartition(":")[2])
        finally:
            process.kill()


def connected(port: int, head: bytes = b"") -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=60)
    connection.sendall(head)
    return connection


def get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode()


def answer(client: socket.socket) -> bytes:
    """Return all that comes until the server closes."""
    with client, client.makefile("rb") as incoming:
        return incoming.read()


def test_more_idle_connections_than_open_files_leave_the_server_in_reach(project_root: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    with served(project_root, log, 100, LONG) as port, ExitStack() as stack:
        for _ in range(300):
            stack.enter_context(connected(port))
        for _ in range(3):
            assert answer(connected(port, get("/"))).endswith(b"\r\n\r\nhere")
    assert log.stat().st_size < 2000


@pytest.mark.parametrize("drips", [False, True])
def test_a_connection_without_a_request_is_closed(drips: bool, project_root: Path, tmp_path: Path) -> None:
    with served(project_root, tmp_path / "log", 1000, 0.5) as port, connected(port, get("/")[:20]) as client:
        client.settimeout(0.05 if drips else 60)
        assert ended(client)


def ended(client: socket.socket) -> bool:
    """Wait until the server closes, and send a byte whenever the time is out."""
    while True:
        try:
            return client.recv(1) == b""
        except TimeoutError:
            client.sendall(b"x")
        except ConnectionError:
            return True


def test_an_answer_may_take_longer_than_a_head(project_root: Path, tmp_path: Path) -> None:
    with served(project_root, tmp_path / "log", 1000, 0.2) as port:
        assert answer(connected(port, get("/slow"))).endswith(b"\r\n\r\nlate")


def test_where_all_connections_are_in_use_a_new_one_is_refused(project_root: Path, tmp_path: Path) -> None:
    with served(project_root, tmp_path / "log", 1000, LONG, 3) as port, ExitStack() as stack:
        for _ in range(3):
            assert stack.enter_context(connected(port, get("/never"))).recv(1000)
        response = answer(connected(port))
    assert response.startswith(b"HTTP/1.1 503 Service Unavailable\r\n")
    assert response.endswith(b"\r\n\r\ntoo many connections are in use; try again later.\n")


def record(name: str, message: str, error: Exception | None = None) -> logging.LogRecord:
    info = None if error is None else (type(error), error, None)
    return logging.LogRecord(name, logging.ERROR, __file__, 1, message, (), info)


def test_the_same_is_logged_once_and_again_after_a_pause_that_doubles(monkeypatch: pytest.MonkeyPatch) -> None:
    now, logged = 0.0, []
    monkeypatch.setattr("src.serving.connections.time.monotonic", lambda: now)
    lines = RepeatedLineFilter()
    for now in range(1000):
        full = record("asyncio", "no accept\nsocket: 7", OSError(errno.EMFILE, "Too many open files"))
        if lines.filter(full):
            logged.append(now)
            assert (full.getMessage(), full.exc_info) == ("no accept: OSError: [Errno 24] Too many open files", None)
    assert logged == [0, 60, 180, 420, 900]
    assert lines.filter(record("uvicorn.error", "another"))


def test_a_fault_of_the_program_keeps_its_traceback() -> None:
    fault = record("uvicorn.error", "Exception in ASGI application\n", OSError(errno.EIO, "no"))
    assert RepeatedLineFilter().filter(fault)
    assert fault.exc_info is not None


TAKES_SIGNALS = """
import ctypes
import signal
from threading import Timer
from starlette.applications import Starlette
from src.serving.run import serve

IGNORED = ctypes.c_void_p(1)  # SIG_IGN, set in C as llama.cpp sets its own: Python does not know of it
libc = ctypes.CDLL(None)
libc.signal.argtypes = [ctypes.c_int, ctypes.c_void_p]
libc.signal.restype = ctypes.c_void_p

def take() -> None:
    for one in (signal.SIGINT, signal.SIGTERM):
        libc.signal(one, IGNORED)
    print("taken", flush=True)

Timer(0.5, take).start()
serve(Starlette(), "127.0.0.1", 0, "ready", "nothing")
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_handlers_that_an_engine_takes_are_set_back(number: signal.Signals, project_root: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", TAKES_SIGNALS],
        cwd=project_root,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        while "taken" not in process.stdout.readline():
            assert process.poll() is None
        try:
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(1)  # a look or more at the handlers
            process.send_signal(number)
            process.wait(60)
        finally:
            process.kill()
