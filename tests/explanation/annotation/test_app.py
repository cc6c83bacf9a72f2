"""What the page's server answers, and what it refuses with one line."""

from collections.abc import Iterator
from pathlib import Path
from string import Template
from typing import Any

import msgspec
import pytest
from starlette.testclient import TestClient

from src.annotating.app import app
from src.errors import InputError, OutputError
from src.explanation.annotation import service as service_module
from src.explanation.annotation.ratings import Rating, RatingsFile, read_ticked
from src.explanation.annotation.service import PAGE, RatingService, SentRating
from src.explanation.annotation.study import study
from src.prompts import load
from src.serving.run import secured
from src.store import read_records
from tests.explanation.annotation.explained import MARKUP, explained

HOME = "http://127.0.0.1:8010"
NAMES = ["zero_shot", "madr"]
CLAIMS = [
    [explained(0, "Eels swim. Nils saw them."), explained(1, "Eels fly.")],
    [explained(0, "Eels swim."), explained(1, "Eels fly.")],
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "r.jsonl"


@pytest.fixture
def client(path: Path) -> Iterator[TestClient]:
    with RatingsFile(path, {}) as file:
        yield TestClient(
            secured(app(RatingService(study(NAMES, CLAIMS, 0), file), SentRating, PAGE), ["127.0.0.1"], ""),
            base_url=HOME,
        )


def rating(client: TestClient, place: int = 0, annotator: str = "ann", **changed: Any) -> dict[str, Any]:
    """Return a rating without any error, in the form that the page sends."""
    laid = client.get("/task", params={"annotator": annotator, "place": place}).json()
    errors: list[list[str]] = [[] for _ in laid["shown"]["sentences"]]
    return {"annotator": annotator, "place": place, "hash": laid["hash"], "errors": errors, "seconds": 1.5} | changed


def test_an_annotator_rates_all_and_a_text_of_two_methods_leaves_two_lines(client: TestClient, path: Path) -> None:
    opened = client.get("/study", params={"annotator": "  Ann   Lee "}).json()
    assert (opened["annotator"], opened["rated"]) == ("Ann Lee", [False, False, False])
    assert [kind["code"] for kind in opened["guide"]["kinds"]] == ["IE", "EE", "IV", "EV", "IN", "EN", "RC", "OG", "IR"]
    assert opened["guide"]["kinds"][1]["definition"] == "a name, number or date that the evidence does not have"
    for place in range(3):
        sent = rating(client, place, "Ann Lee")
        sent["errors"][0] = ["IR", "EE", "IR"]
        assert client.post("/rating", json=sent).status_code == 204
    lines = [msgspec.json.decode(line) for line in path.read_bytes().splitlines()]
    assert sorted((one["claim_id"], one["method"], one["errors"][0]) for one in lines) == [
        (claim_id, method, ["EE", "IR"]) for claim_id in (0, 1) for method in ("madr", "zero_shot")
    ]
    assert client.get("/study", params={"annotator": "Ann Lee"}).json()["rated"] == [True] * 3
    assert client.get("/study", params={"annotator": "bob"}).json()["rated"] == [False] * 3
    laid = client.get("/task", params={"annotator": "Ann Lee", "place": 2}).json()
    assert laid["errors"] == [["EE", "IR"]]


def test_a_summary_is_of_the_one_who_asks(client: TestClient) -> None:
    for name, errors in (("ann", [["EE"]]), ("bob", [["RC", "IR"]])):
        for place in range(3):
            sent = rating(client, place, name)
            sent["errors"][:1] = errors
            assert client.post("/rating", json=sent).status_code == 204
    summary = client.get("/summary", params={"annotator": " ann "}).json()
    assert [summary.pop(key) for key in ("annotator", "method", "ratings", "clean", "errors")] == ["ann", "", 3, 0, 3]
    assert summary.keys() == {"sentences", "by_type", "seconds"}
    assert {kind: number for kind, number in summary["by_type"].items() if number} == {"EE": 3}


def test_seconds_of_all_looks_add_up(client: TestClient, path: Path) -> None:
    for seconds in (41.5, 3.0, 0.1, 9e6, 9e6):
        assert client.post("/rating", json=rating(client, 2, seconds=seconds)).status_code == 204
    assert client.post("/rating", json=rating(client, 2, "bob", seconds=2.0)).status_code == 204
    kept = [one.seconds for one in read_ticked(path.read_bytes(), path, {}) if one.method == "madr"]
    expected = [one.seconds for one in read_records(path, Rating) if one.method == "madr"]
    assert expected == [41.5, 44.5, 44.6, 9000044.6, 1e7, 2.0]
    assert kept == [1e7, 2.0]


def test_a_kind_without_a_definition_stops_the_study_before_it_begins(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = load("madr_typology").template.replace("OG overgeneralisation:", "OG over-generalisation:")
    monkeypatch.setattr(service_module, "load", lambda _: Template(text))
    message = "src/prompts/madr_typology.md: does not define OG overgeneralisation"
    with RatingsFile(path, {}) as file, pytest.raises(InputError, match=message):
        RatingService(study(NAMES, CLAIMS, 0), file)


def test_what_is_sent_names_no_method_and_keeps_evidence_as_it_is(client: TestClient) -> None:
    answers = [client.get("/task", params={"annotator": "ann", "place": place}) for place in range(3)]
    assert all(answer.json()["shown"]["evidence"][1]["text"] == MARKUP for answer in answers)
    client.post("/rating", json=rating(client))
    summary = client.get("/summary", params={"annotator": "ann"})
    assert summary.status_code == 200
    assert not [name for name in NAMES for answer in (*answers, summary) if name in answer.text]


def test_the_page_may_load_nothing_from_elsewhere(client: TestClient) -> None:
    page = client.get("/")
    assert page.headers["content-type"].startswith("text/html")
    for answer in (
        page,
        client.get("/page.js"),
        client.get("/shared/page.css"),
        client.get("/none"),
        client.get("/study"),
    ):
        assert answer.headers["content-security-policy"].startswith("default-src 'none'; script-src 'self';")
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert "<script>" not in page.text
    assert client.get("/..%2fapp.py").status_code == 404


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "127.0.0.1@evil.example"])
def test_other_names_for_this_machine_are_refused(client: TestClient, host: str) -> None:
    answer = client.get("/study", params={"annotator": "ann"}, headers={"Host": host})
    assert (answer.status_code, answer.text) == (400, "Invalid host header")


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:9999", "https://127.0.0.1:9999"])
def test_a_page_of_another_site_writes_no_rating(client: TestClient, path: Path, origin: str) -> None:
    sent = rating(client)
    answer = client.post("/rating", json=sent, headers={"Origin": origin})
    assert (answer.status_code, answer.text) == (403, "ratings come from the page itself")
    assert "access-control-allow-origin" not in client.options("/rating", headers={"Origin": origin}).headers
    form = client.post("/rating", content=msgspec.json.encode(sent), headers={"Content-Type": "text/plain"})
    assert (form.status_code, form.text) == (400, "field content-type: must be application/json, not text/plain")
    assert path.read_bytes() == b""
    assert client.post("/rating", json=sent, headers={"Origin": HOME}).status_code == 204


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"errors": [["XX"]]}, "field errors[0][0]: 'XX' is none of IE, EE"),
        ({"errors": [[]] * 9}, "field errors: 9 lists of types for"),
        ({"errors": None}, "field errors: Expected `array`, got `null`"),
        ({"hash": "0"}, "field hash: there is another explanation at this place now; load the page again"),
        ({"place": 3}, "field place: 3; the places are 0 to 2"),
        ({"place": -1}, "field place: -1; the places are 0 to 2"),
        ({"annotator": ""}, "field annotator: a name has 1 to 40 letters"),
        ({"annotator": "a" * 41}, "field annotator: a name has 1 to 40 letters"),
        ({"annotator": "<b>"}, "field annotator: a name has 1 to 40 letters"),
        ({"annotator": "a\u202eb"}, "field annotator: a name has 1 to 40 letters"),
        ({"seconds": -1}, "field seconds: must be at least 0"),
        ({"seconds": "x" * 100_000}, "field body: longer than 100000 bytes"),
    ],
)
def test_a_wrong_rating_is_refused_with_one_line(
    client: TestClient, path: Path, changed: dict[str, Any], message: str
) -> None:
    answer = client.post("/rating", json=rating(client) | changed)
    assert answer.status_code == 400
    assert answer.text.startswith(message)
    assert "\n" not in answer.text
    assert path.read_bytes() == b""


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff", b"[" * 90_000, b'{"annotator": "ann"}'])
def test_a_body_of_another_shape_is_refused(client: TestClient, body: bytes) -> None:
    answer = client.post("/rating", content=body, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.text.count("\n")) == (400, 0)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("/study", "field annotator: missing"),
        ("/study?annotator=%00", "field annotator: a name has"),
        ("/summary", "field annotator: missing"),
        ("/summary?annotator=ann", "field annotator: has rated nothing yet"),
        ("/task?annotator=ann", "field place: missing"),
        ("/task?annotator=ann&place=x", "field place: is no whole number"),
        ("/task?annotator=ann&place=9999999999", "field place: is no whole number"),
        ("/task?annotator=ann&place=7", "field place: 7; the places are 0 to 2"),
    ],
)
def test_a_wrong_question_is_refused_with_one_line(client: TestClient, address: str, message: str) -> None:
    answer = client.get(address)
    assert (answer.status_code, answer.text.startswith(message)) == (400, True)


def test_a_full_disk_is_reported(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(file: RatingsFile, ratings: object) -> None:
        raise OutputError("cannot write r.jsonl: No space left on device")

    monkeypatch.setattr(RatingsFile, "add", full)
    answer = client.post("/rating", json=rating(client))
    assert (answer.status_code, answer.text) == (507, "cannot write r.jsonl: No space left on device")
