"""Console output: plain lines without a terminal, and none with `quiet`."""

import io
import sys

import msgspec
import pytest

from src.runner.console import Progress, duration, say, say_error, say_fault


def test_quiet_prints_errors_only(capsys: pytest.CaptureFixture[str]) -> None:
    say("hello", quiet=True)
    say("there")
    say_error("oh")
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("there\n", "oh\n")


@pytest.mark.parametrize(
    ("encoding", "printed"), [("ascii", b"caf\\xe9 \\udcff\n"), ("utf-8", "café \\udcff\n".encode())]
)
def test_what_the_terminal_lacks_is_escaped(monkeypatch: pytest.MonkeyPatch, encoding: str, printed: bytes) -> None:
    buffer = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(buffer, encoding))
    say("café \udcff")
    assert buffer.getvalue() == printed


HOSTILE = {
    "\x1b[2J\x1b]0;title\x07": "\\u001b[2J\\u001b]0;title\\u0007",
    "a\x00b\x08\x0c\r": "a\\u0000b\\u0008\\u000c\\u000d",
    "\x7f\x85\x9b2J": "\\u007f\\u0085\\u009b2J",
    "\u202eeurt\u202c \u2066x\u2069 \u200e\u200f\u061c": "\\u202eeurt\\u202c \\u2066x\\u2069 \\u200e\\u200f\\u061c",
}


@pytest.mark.parametrize(("text", "shown"), HOSTILE.items())
def test_nothing_commands_the_terminal(text: str, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    say(text)
    say_error(text)
    say_fault(ValueError(text))
    captured = capsys.readouterr()
    assert captured.out == f"{shown}\n"
    assert captured.err == f"{shown}\nValueError: {shown}\n"


def test_tabs_line_breaks_and_letters_of_all_languages_stay(capsys: pytest.CaptureFixture[str]) -> None:
    text = "a\tb\nÖl \u05e2\u05d1\u05e8\u05d9\u05ea \u4e2d\u6587 \U0001f469\u200d\U0001f52c"
    say(text)
    assert capsys.readouterr().out == f"{text}\n"


def test_json_means_the_same_when_it_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    for text in HOSTILE:
        say(msgspec.json.encode(text).decode())
        assert msgspec.json.decode(capsys.readouterr().out) == text


def test_a_resumed_run_prints_where_it_continues(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress("ranking", 9, done=4):
        pass
    with Progress("ranking", 9, done=4, quiet=True):
        pass
    with Progress("ranking", 9):
        pass
    assert capsys.readouterr().out == "ranking: going on after 4 of 9 claims\n"


def test_lines_come_now_and_then(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    now = 0.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    with Progress("ranking", 4) as progress:
        for failed in (0, 1, 0, 0):
            now += 6
            progress.add(1, failed)
    assert capsys.readouterr().out == "ranking: 2 of 4 claims, 12 s, 1 failed, 10 a minute, 12 s left\n"


def test_a_line_before_anything_is_done_has_no_speed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 0.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    with Progress("ranking", 4) as progress:
        now += 60
        progress.add(0, 0)
    assert capsys.readouterr().out == "ranking: 0 of 4 claims, 60 s, 0 failed\n"


def test_on_a_terminal_there_is_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", terminal)
    with Progress("ranking", 2) as progress:
        progress.add(2, 1)
    assert "ranking" in terminal.getvalue()
    assert "failed=1" in terminal.getvalue()


@pytest.mark.parametrize(("seconds", "expected"), [
    (0.04, "0.0 s"),
    (9.9, "9.9 s"), (48.2, "48 s"), (59.7, "1 min 00 s"), (221.4, "3 min 41 s"), (7500.0, "2 h 05 min"),
])  # fmt: skip
def test_durations_have_two_units_at_most(seconds: float, expected: str) -> None:
    assert duration(seconds) == expected
