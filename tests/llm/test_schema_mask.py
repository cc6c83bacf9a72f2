"""Answers that are held to a JSON schema, on a random model that would never write JSON by itself."""

import json

import jsonschema
import pytest

from src.errors import ModelError
from src.llm.protocol import Request
from src.llm.schema_mask import follows_schema
from src.llm.transformers_backend import TransformersModel

LABELS = {
    "type": "object",
    "properties": {
        "label": {"enum": ["Supported", "Refuted"]},
        "rating": {"type": "integer", "minimum": 1, "maximum": 5},
    },
    "required": ["label", "rating"],
    "additionalProperties": False,
}
PAIR = {"type": "array", "items": {"enum": ["yes", "no"]}, "minItems": 1, "maxItems": 2}


def request(schema: object, **more: object) -> Request:
    settings = {"chat": True, "max_new_tokens": 60, "schema": json.dumps(schema)}
    return Request("Dogs bark.", **(settings | more))  # type: ignore[arg-type]


def test_each_row_of_a_batch_follows_its_own_schema(causal: TransformersModel) -> None:
    labels, free, pair = causal.complete([request(LABELS), Request("Dogs bark.", max_new_tokens=20), request(PAIR)])
    assert labels.stopped == pair.stopped == "eos"
    jsonschema.validate(json.loads(labels.text), LABELS)
    jsonschema.validate(json.loads(pair.text), PAIR)
    with pytest.raises(json.JSONDecodeError):
        json.loads(free.text)


def test_a_row_in_a_batch_has_the_answer_that_it_has_alone(causal: TransformersModel) -> None:
    requests = [request(PAIR), request(LABELS), request(LABELS, system="Be brief.")]
    together = causal.complete(requests)
    assert [one.text for one in together] == [causal.complete([one])[0].text for one in requests]


def test_samples_follow_the_schema_and_depend_on_their_seed(causal: TransformersModel) -> None:
    requests = [request(LABELS, temperature=1.5, seed=seed) for seed in range(6)]
    texts = [one.text for one in causal.complete(requests)]
    for text in texts:
        jsonschema.validate(json.loads(text), LABELS)
    assert len(set(texts)) > 1
    assert texts == [one.text for one in causal.complete(requests)]


def test_an_answer_may_be_cut_off(causal: TransformersModel) -> None:
    (reply,) = causal.complete([request(LABELS, max_new_tokens=4)])
    assert (reply.stopped, reply.new_tokens) == ("length", 4)


def test_what_cannot_follow_a_schema_ignores_it(causal: TransformersModel, seq2seq: TransformersModel) -> None:
    assert not follows_schema(request(LABELS, num_beams=2))
    assert not follows_schema(request(LABELS, choices=("a", "b")))
    assert follows_schema(request(LABELS, num_beams=2, temperature=1.0))
    assert not follows_schema(Request("Dogs bark."))
    assert len(causal.complete([request(LABELS, num_beams=2)])) == 1
    assert len(seq2seq.complete([request(LABELS, chat=False)])) == 1


def test_a_row_that_ends_at_its_own_limit_stops_no_other(causal: TransformersModel) -> None:
    short, long = causal.complete([request(LABELS, max_new_tokens=4), request(LABELS)])
    assert (short.stopped, short.new_tokens) == ("length", 4)
    jsonschema.validate(json.loads(long.text), LABELS)


def test_a_schema_that_nothing_can_follow_is_an_error(causal: TransformersModel) -> None:
    with pytest.raises(ModelError, match="JSON schema"):
        causal.complete([request({"type": "nonsense"})])
