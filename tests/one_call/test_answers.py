import json
from typing import Any

import jsonschema
import pytest

from src.llm.protocol import Reply
from src.one_call.answers import UnusableAnswerError, read_answer, schema
from tests.one_call.replies import AGREEMENT, ANSWER, PAIR


def reply(text: str, *, is_cut: bool = False) -> Reply:
    return Reply(text, 1, 1, "length" if is_cut else "eos")


def test_an_answer_is_found_in_a_code_fence() -> None:
    read = read_answer(reply(f"Here it is:\n```json\n{json.dumps(ANSWER)}\n```"))
    assert [pair.source for pair in read.questions] == [1, 2]
    assert read.agreement.refuted == 5


@pytest.mark.parametrize(
    "text",
    [
        f'<think>It may be {{"a": 1}} or {{b.</think>{json.dumps(ANSWER)}',
        f"{json.dumps(ANSWER)}\nNote: {{done}}",
        f"{json.dumps(ANSWER)}\n{json.dumps(ANSWER)}",
        f'{{"draft": {{}}}} {json.dumps(ANSWER)} {{"done": true}}',
    ],
)
def test_the_answer_is_the_last_object_that_is_one(text: str) -> None:
    assert read_answer(reply(text)).agreement.refuted == 5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"agreement": AGREEMENT | {"refuted": 10}}, "<= 5"),
        ({"agreement": AGREEMENT | {"refuted": 0}}, ">= 1"),
        ({"agreement": AGREEMENT | {"refuted": "5"}}, r"agreement\.refuted"),
        ({"agreement": {"supported": 1}}, "missing required field `refuted`"),
        ({"questions": [{"question": "Q?"}]}, "missing required field `source`"),
        ({"justification": "Eels swim."}, "justification"),
    ],
)
def test_what_is_wrong_with_an_answer_is_said(change: dict[str, object], message: str) -> None:
    with pytest.raises(UnusableAnswerError, match=message):
        read_answer(reply(json.dumps(ANSWER | change)))


@pytest.mark.parametrize("text", ["", "I cannot say.", "}{", "[1]"])
def test_a_reply_without_an_object(text: str) -> None:
    with pytest.raises(UnusableAnswerError, match="no JSON object"):
        read_answer(reply(text))


@pytest.mark.parametrize("end", [0, 1, 60, 200])
def test_a_reply_that_was_cut_is_called_too_long(end: int) -> None:
    with pytest.raises(UnusableAnswerError, match="too long"):
        read_answer(reply(json.dumps(ANSWER)[:end], is_cut=True))


def test_the_schema_takes_what_is_read_and_nothing_else() -> None:
    made: dict[str, Any] = json.loads(schema(2))
    jsonschema.validate(ANSWER, made)
    three = ANSWER | {"questions": [PAIR, PAIR, PAIR]}
    for wrong in (three, ANSWER | {"label": "Refuted"}, ANSWER | {"agreement": AGREEMENT | {"refuted": 6}}, {}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, made)


def objects(node: object) -> list[dict[str, Any]]:
    """Return all schemas of objects in a schema."""
    parts = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    own = [node] if isinstance(node, dict) and node.get("type") == "object" else []
    return [*own, *(one for part in parts for one in objects(part))]


def test_the_schema_is_as_strict_mode_asks_for() -> None:
    made = json.loads(schema(10))
    found = objects(made)
    assert made["type"] == "object"
    assert len(found) == 4
    for one in found:
        assert one["additionalProperties"] is False
        assert set(one["required"]) == set(one["properties"])
    assert "pattern" not in schema(10)  # llama.cpp takes few of them
    assert "description" not in schema(10)


def test_a_model_quotes_before_it_answers_and_gives_reasons_before_ratings() -> None:
    made = json.loads(schema(10))
    assert list(made["properties"]) == ["questions", "justification", "agreement"]
    assert list(made["$defs"]["WrittenPair"]["properties"]) == ["source", "quote", "question", "answer"]
