"""Answers from a file: which line a step finds, and what is no line."""

from pathlib import Path

import pytest

from src.errors import InputError
from src.programs.answerers.recorded_answers import KnownFirst, RecordedAnswers
from src.programs.functions import Answered, Call
from src.programs.records import Function
from src.records import Value

LINES = """{"function": "Verify", "text": "A  b.", "value": true}
{"function": "Verify", "text": "B", "value": false}
{"function": "Verify", "text": "D.", "value": null}
{"function": "Verify", "text": "E.", "value": "conflicting"}
{"function": "Question", "text": "Who?", "value": "Ann"}
{"function": "Question", "text": "Where?", "value": null}
{"function": "Verify", "text": "B.", "value": true}
"""


def recorded(folder: Path, lines: str = LINES) -> RecordedAnswers:
    (folder / "a.jsonl").write_text(lines, encoding="utf-8")
    return RecordedAnswers(folder / "a.jsonl")


def test_a_step_finds_the_last_line_with_its_text(tmp_path: Path) -> None:
    answers = recorded(tmp_path)
    verify = [Call(0, Function.VERIFY, text) for text in ("A b", " A b .", "B.", "D", "E.")]
    ask = [Call(0, Function.QUESTION, text) for text in ("Who?", "Where?")]
    answered = [answers.known(call) for call in [*verify, *ask]]
    values = [Value.TRUE, Value.TRUE, Value.TRUE, Value.UNKNOWN, Value.CONFLICTING, "Ann", None]
    assert answered == [Answered(value) for value in values]


def test_what_is_not_there_is_unknown_and_listed(tmp_path: Path) -> None:
    answers = KnownFirst([recorded(tmp_path)])
    calls = [Call(1, Function.VERIFY, "Who?"), Call(2, Function.QUESTION, "A b"), Call(1, Function.VERIFY, "A B")]
    assert answers.answer(calls) == [Answered(Value.UNKNOWN), Answered(None), Answered(Value.UNKNOWN)]
    assert list(answers.missing) == calls


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"function": "Verify", "text": "A", "value": "maybe"}', "line 8, field value: 'maybe' is none of true"),
        ('{"function": "Verify", "text": "A", "value": "true"}', "line 8, field value: 'true' is none of true"),
        ('{"function": "Question", "text": "A", "value": true}', "line 8, field value: the answer to a Question is"),
        ('{"function": "Predict", "text": "A", "value": true}', "line 8, field function: "),
        ('{"function": "Verify", "value": true}', "line 8, field text: missing"),
        ('{"function": "Verify", "text": "A"}', "line 8, field value: missing"),
        ('{"function": "Verify", "text": "A", "value": 1}', "line 8, field value: "),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        recorded(tmp_path, LINES + line)


def test_null_answers_are_counted_in_a_note(tmp_path: Path) -> None:
    lines = [
        '{"function": "Verify", "text": "A.", "value": null}',
        '{"function": "Verify", "text": "B.", "value": true}',
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    assert RecordedAnswers(tmp_path / "a.jsonl").notes() == [
        "1 of 2 recorded answers null: unknown, or a question without an answer"
    ]
    (tmp_path / "a.jsonl").write_text(lines[1])
    assert not RecordedAnswers(tmp_path / "a.jsonl").notes()
