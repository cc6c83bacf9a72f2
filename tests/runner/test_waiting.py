"""A line for the user when something takes long, and none otherwise."""

import threading

import pytest

from src.runner.cluster import waiting as module
from src.runner.cluster.waiting import waiting


def test_a_long_wait_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(module, "SLOW", 0)
    others = threading.enumerate()
    with waiting("a result", quiet=False):
        end_of_timers(others)
        assert capsys.readouterr().out == "waiting for a result\n"
    with waiting("a result", quiet=True):
        end_of_timers(others)
    assert capsys.readouterr().out == ""


def test_a_short_wait_is_no_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(module, "SLOW", 60)
    others = threading.enumerate()
    with pytest.raises(ZeroDivisionError), waiting("a result", quiet=False):
        raise ZeroDivisionError
    end_of_timers(others)
    assert capsys.readouterr().out == ""


def end_of_timers(others: list[threading.Thread]) -> None:
    """Wait for the end of the threads that are not among the others."""
    for thread in threading.enumerate():
        if thread not in others:
            thread.join()
