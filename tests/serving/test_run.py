"""A server ends at a signal, also where an engine in C++ took the handlers for itself."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

SERVER = """
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
serve(lambda hosts: Starlette(), "127.0.0.1", 0, "ready", "nothing")
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_handlers_that_an_engine_takes_are_set_back(number: signal.Signals, project_root: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SERVER], cwd=project_root, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        while "taken" not in process.stdout.readline():
            assert process.poll() is None
        try:
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(1)  # a look or more at the handlers
            process.send_signal(number)
            process.wait(20)
        finally:
            process.kill()
