"""Programs as models write them, broken at random: no exception, the same answer twice, and nothing is executed."""

import random
import sys
from collections.abc import Iterator

import msgspec
import pytest

from src.programs.records import ClaimPrograms, ClaimTrace
from src.records import Value
from src.store import encode_line
from tests.programs.answers import T, Tables, traced

WHOLE = (
    'answer_1 = Question("Who wrote the novel?")\nfact_1 = Verify("{answer_1} was born in Oslo.")\n'
    'fact_2 = Verify("The novel was filmed.")\nlabel = Predict(fact_1 and not fact_2)\n',
    '```python\n# The claim is that it is so.\ndef program():\n    fact_1 = Verify("The "Sea" is deep.")\n'
    "    fact_2 = Verify('It's blue.')\n    label = Predict(fact_1 or (fact_2 and fact_1))\n```\nDone.",
    'fact_1 = Verify(f\\"{answer_1} is old.)\nlabel = predict(fact_1)',
    'fact_1 = Verify("A."); fact_2 = Verify("B."); label = Predict(not (fact_1 and fact_2))',
    'label = Predict(Verify("A.") and Question("B?"))',
    'label = Predict(__import__("os").system("id") or eval("1") or open("x"))',
)
PIECES = ('"', "'", "\\", "(", ")", "{", "}", "=", ";", "#", "\n", " ", "not ", " and ", " or ", "label", "Predict(",
          "Verify(", "Question(", "fact_1", "answer_1", "{answer_1}", "```", "return ", "def program():", "\x00",
          "\u201d", "eval(", "lambda: ", "\ud800", "\U0001f600", "9" * 40, "True", "==", "{" * 40,
          "{answer_1.strip()}", "{answer_1 + 1}", '"' * 40, "(" * 40, "\\" * 40, "\n" * 9, ",;", "\ufeff", "**", "</s>",
          " if ", "else: ", "return the ")  # fmt: skip


def mutants(count: int, seed: int) -> Iterator[str]:
    draw = random.Random(seed)
    for _ in range(count):
        text = draw.choice(WHOLE)
        for _ in range(draw.randint(1, 12)):
            place, end = sorted(draw.randint(0, len(text)) for _ in range(2))
            end = min(end, place + draw.randint(0, 30))
            text = draw.choice(
                [
                    text[:place] + draw.choice(PIECES) + text[place:],
                    text[:place] + text[end:],
                    text[:end] + text[place:end] + text[end:],
                    text[:place] + text[place:end][::-1] + text[end:],
                ]
            )
        yield text


WATCHED = ("compile", "exec", "import", "os.system", "subprocess.Popen")
_events: list[str] = []
_watching = False


def _hook(event: str, args: tuple[object, ...]) -> None:
    if _watching and (event in WATCHED or (event == "open" and args[0] == "x")):  # what a mutant would open
        _events.append(event)


@pytest.fixture(scope="module", autouse=True)
def audit_hook() -> None:
    sys.addaudithook(_hook)  # cannot be taken away again


def run_mutants(count: int, seed: int) -> int:
    """How many programs were run and found sound."""
    global _watching
    programs = list(mutants(count, seed))
    claims = [ClaimPrograms(number, "A claim.", [text]) for number, text in enumerate(programs)]
    _events.clear()
    tables = Tables({"A": T}, {"B?": "yes"})
    _watching = True
    try:
        traces, again = (traced(claims, tables) for _ in range(2))
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
    assert not any("{" in one for one in tables.texts)
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
