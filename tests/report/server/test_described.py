"""Answers of the API conform to its description, for valid and invalid requests that are drawn from it."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, settings

from src.report.server.openapi import RECORDS, description
from src.report.server.record_texts import record_text
from src.report.server.records import Limits
from tests.report.server.served import PROVIDERS, served

JSON = "application/json"
WAITING = 10_000  # none of the checks that are drawn finds the queue full
DRAWN = settings(
    max_examples=50, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)  # fmt: skip

api = schemathesis.openapi.from_dict(description(Limits(waiting=WAITING), PROVIDERS))


@api.hook
def map_body(_: object, body: Any) -> Any:
    """Return the body without what JSON Schema cannot exclude: 3.0 as a whole number, and a day in the future."""
    if not isinstance(body, dict):
        return body
    if isinstance(top_n := body.get("top_n"), float) and top_n.is_integer():
        body = body | {"top_n": int(top_n)}
    day = body.get("date")
    with suppress(ValueError):
        if isinstance(day, str) and date.fromisoformat(day) > date.today():
            body = body | {"date": "2020-02-29"}
    return body


@pytest.fixture(scope="module")
def address(project_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(project_root, tmp_path_factory.mktemp("described"), WAITING) as (address, _):
        yield address.rstrip("/")


@api.parametrize()
@DRAWN
def test_answers_are_as_described(case: schemathesis.Case[Any], address: str) -> None:
    assert case.call_and_validate(base_url=address).status_code < 500


def test_a_check_from_its_beginning_to_its_end_is_as_described(address: str) -> None:
    """Those drawn above seldom name a check that is there."""

    def called(path: str, method: str, **given: Any) -> Any:
        answer = api[path][method].Case(**given).call_and_validate(base_url=address)
        return answer.json() if answer.content and JSON in answer.headers["content-type"][0] else answer

    one = "/api/check/{check_id}"
    body = {"claim": "Eels swim.", "urls": ["https://eels.example/"]}
    check_id = called("/api/check", "POST", body=body, media_type=JSON)["id"]
    place = {"check_id": check_id}
    assert b"event: end" in called(f"{one}/events", "GET", path_parameters=place).content
    final = called(one, "GET", path_parameters=place)
    assert (final["status"], final["result"]["prediction"]["pred_label"]) == ("done", "Supported")
    assert called(f"{one}/cancel", "POST", path_parameters=place, body={}, media_type=JSON)["status"] == "done"
    assert check_id in [one["id"] for one in called("/api/checks", "GET")["checks"]]
    assert called(one, "DELETE", path_parameters=place).status_code == 204
    assert called(one, "GET", path_parameters=place)["error"] == "there is no such check"


def test_the_description_that_is_served_is_the_one_that_was_tried(address: str) -> None:
    served_one = requests.get(f"{address}/openapi.json", timeout=60).content
    assert served_one == msgspec.json.encode(description(Limits(waiting=WAITING), PROVIDERS))


@pytest.mark.parametrize("providers", [(), PROVIDERS])
def test_the_description_is_valid_openapi(providers: tuple[str, ...]) -> None:
    described = description(Limits(), providers)
    schemathesis.openapi.from_dict(described).validate()


def test_a_day_in_the_future_is_not_drawn() -> None:
    body = {"claim": "Eels swim.", "date": "9999-12-31", "top_n": 3.0}
    assert map_body(None, body) == {"claim": "Eels swim.", "date": "2020-02-29", "top_n": 3}
    assert map_body(None, {"date": "2020-01-01"}) == {"date": "2020-01-01"}


def test_refusals_of_requests_that_are_not_read_are_described() -> None:
    described = description(Limits(), PROVIDERS)
    assert described["security"] == [{}, {"bearer": []}, {"basic": []}]
    assert described["components"]["securitySchemes"]["bearer"] == {"type": "http", "scheme": "bearer"}
    for path in described["paths"].values():
        for name in path.keys() - {"parameters"}:
            responses = path[name]["responses"]
            assert all("text/plain" in responses[status]["content"] for status in ("400", "401", "429", "503"))
            assert responses["401"]["headers"].keys() == {"WWW-Authenticate"}
    asked = described["paths"]["/api/check"]["post"]["responses"]
    assert asked["429"]["content"].keys() == {"text/plain", JSON}
    assert "507" in asked
    assert "507" not in described["paths"]["/api/check/{check_id}/cancel"]["post"]["responses"]


def test_fields_are_described_where_clients_look() -> None:
    schemas = description(Limits(), PROVIDERS)["components"]["schemas"]
    stage = schemas["StageProgress"]
    assert stage["description"] == "Progress of one stage of a check."
    assert stage["properties"]["done"]["description"].startswith("number of finished and of all units")
    assert stage["properties"]["done"]["description"] == stage["properties"]["total"]["description"]


def test_every_field_of_the_api_s_own_records_is_described() -> None:
    schemas = description(Limits(), PROVIDERS)["components"]["schemas"]
    records = [record.__name__ for record in RECORDS]
    assert {"CheckAnswer", "State"} < set(records)  # these inherit fields
    lacking = [
        (name, field)
        for name in [*records, "CheckedClaim", "CheckSummary", "Links"]
        for field, schema in schemas[name].get("properties", {}).items()
        if "description" not in schema
    ]
    assert lacking == []


def test_members_and_paragraphs_behind_fields_stay_with_their_record() -> None:
    schemas = description(Limits(), PROVIDERS)["components"]["schemas"]
    assert "`BIASES`: a trained model" in schemas["OverruledBy"]["description"]
    assert "Limitations: " in schemas["Reliance"]["description"]
    assert "Limitations: " not in schemas["Reliance"]["properties"]["of_level"]["description"]


def test_a_docstring_is_split_into_record_and_fields() -> None:
    text = record_text("""A thing.

    More of it.

    `a`, `b`: two
        lines
    `c`: third.

    The end.
    """)
    assert text == ("A thing. More of it. The end.", {"a": "two lines", "b": "two lines", "c": "third."})
