"""A signal ends a check at once, whatever it is doing."""

import ctypes
import os
import signal
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event, Timer

import pytest

from src.check.interruption import interruptible


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_work_that_does_not_listen_is_left(number: signal.Signals) -> None:
    Timer(0.3, os.kill, (os.getpid(), number)).start()
    ended = Event()

    def deaf(_: Callable[[], bool]) -> None:
        time.sleep(5)
        ended.set()

    with pytest.raises(KeyboardInterrupt):
        interruptible(deaf)
    assert not ended.is_set()


def test_handlers_that_an_engine_takes_are_set_back() -> None:
    """As llama.cpp's server takes them, in C and while the work runs: Python does not know of it."""
    taken = Event()

    def engine(_: Callable[[], bool]) -> None:
        ctypes.CDLL(None).signal(int(signal.SIGTERM), ctypes.c_void_p(1))  # SIG_IGN
        taken.set()
        time.sleep(5)

    Timer(0.5, os.kill, (os.getpid(), signal.SIGTERM)).start()
    with pytest.raises(KeyboardInterrupt):
        interruptible(engine)
    assert taken.is_set()


def test_work_that_listens_ends_and_its_files_go() -> None:
    made: list[Path] = []

    def work(is_cancelled: Callable[[], bool]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            made.append(Path(folder))
            while not is_cancelled():
                time.sleep(0.01)

    Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        interruptible(work)
    assert not made[0].exists()
    assert not made[0].parent.exists()


def test_results_and_errors_come_through() -> None:
    assert interruptible(lambda _: 7) == 7
    with pytest.raises(ZeroDivisionError):
        interruptible(lambda _: 1 // 0)
