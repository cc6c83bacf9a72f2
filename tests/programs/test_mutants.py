"""Whatever a program's text is: no exception, the same answer twice, and nothing of it is run."""

import sys

import msgspec
import pytest

from src.programs.records import ClaimPrograms, ClaimTrace
from src.records import Value
from src.store import encode_line
from tests.programs.answers import T, Tables, traced
from tests.programs.mutants import mutants

WATCHED = ("compile", "exec", "import", "os.system", "subprocess.Popen")
_events: list[str] = []
_watching = False


def _hook(event: str, args: tuple[object, ...]) -> None:
    if _watching and (event in WATCHED or (event == "open" and args[0] == "x")):  # what a mutant would open
        _events.append(event)


@pytest.fixture(scope="module", autouse=True)
def watch() -> None:
    sys.addaudithook(_hook)  # cannot be taken away again


def run_mutants(count: int, seed: int) -> int:
    """How many programs were run and found sound."""
    global _watching
    programs = list(mutants(count, seed))
    claims = [ClaimPrograms(number, "A claim.", [text]) for number, text in enumerate(programs)]
    _events.clear()
    asked = Tables({"A": T}, {"B?": "yes"})
    _watching = True
    try:
        traces, again = (traced(claims, asked) for _ in range(2))
    finally:
        _watching = False
    assert _events == []
    assert traces == again
    for text, trace in zip(programs, traces, strict=True):
        (program,) = trace.programs
        assert trace.value is program.value
        if program.label is None:
            assert program.value is Value.UNKNOWN
            assert program.diagnostics, text
        assert all(1 <= one.line <= text.count("\n") + text.count("\r") + 1 for one in program.diagnostics)
    assert not any("{" in one for one in asked.texts)
    return len(traces)


def test_two_thousand_mutants() -> None:
    assert run_mutants(2_000, seed=0) == 2_000


def test_the_hook_sees_what_is_run() -> None:
    global _watching
    _events.clear()
    _watching = True
    eval("1 + 1")
    _watching = False
    assert {"compile", "exec"} <= set(_events)


def test_traces_can_be_written_and_read() -> None:
    for number, text in enumerate(mutants(50, seed=1)):
        (trace,) = traced(
            [ClaimPrograms(number, "A claim.", [text.encode("utf-8", "replace").decode()])], Tables({}, {})
        )
        assert msgspec.json.decode(encode_line(trace), type=ClaimTrace) == trace
