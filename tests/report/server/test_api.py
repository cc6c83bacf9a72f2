"""Requests of programs, honest and hostile, and the answers."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from starlette.testclient import TestClient

from src.check.claim_language import language_note
from src.check.records import CheckedClaim, OwnDocument, Sources, Strategy
from src.errors import OutputError
from src.records import Verdict
from src.report.server.app import app
from src.report.server.check_service import CheckService
from src.report.server.history import History
from src.report.server.records import Limits
from src.serving.run import secured
from tests.report.server.scripted import BREAKS, FAILS, HELD, HOME, HOSTS, SLOW, URL, Scripted, ask, form, over, when
from tests.serving.served import wait_until

NONE = "0" * 32
FIELDS = "claim, urls, text, search, date, speaker, strategy, top_n"
JSON = {"Content-Type": "application/json"}


def test_a_claim_is_checked_and_its_result_can_be_read(client: TestClient, checks: Scripted) -> None:
    sent = {"claim": " Eels\n swim. ", "urls": [URL, URL], "date": "2020-08-05", "speaker": "Nils", "top_n": 3}
    accepted = client.post("/api/check", json=sent | {"strategy": "programs"})
    assert (accepted.status_code, accepted.json()["status"]) == (202, "waiting")
    assert accepted.headers["location"] == accepted.json()["links"]["self"]
    state = over(client, accepted.json()["id"])
    assert (state["status"], state["verdict"], state["error"]) == ("done", "Supported", "")
    assert msgspec.convert(state["result"], CheckedClaim).prediction.pred_label is Verdict.SUPPORTED
    (request,) = checks.requests
    assert (request.claim, request.sources.urls, request.date, request.speaker) == (
        "Eels swim.",
        (URL,),
        "05-08-2020",
        "Nils",
    )
    assert (request.strategy, request.top_n) == ("programs", 3)


def test_the_stages_of_a_check_are_reported_while_it_works(client: TestClient) -> None:
    check_id = ask(client, f"{SLOW} eels.")
    when(client, check_id, "working")
    state = wait_until(
        lambda: client.get(f"/api/check/{check_id}").json(),
        lambda state: len(state["stages"][0]["texts"]) == 3,
    )
    (stage,) = state["stages"]
    assert (stage["stage"], stage["done"], stage["total"]) == ("pages", 3, 3)
    assert stage["texts"][-1] == "https://eels.example/3"
    assert state["result"] is None


def test_checks_wait_for_their_turn_and_a_full_queue_refuses(client: TestClient, checks: Scripted) -> None:
    first = ask(client, f"{HELD} eels.")
    when(client, first, "working")
    waiting = [ask(client, f"Eels {n}.") for n in range(3)]
    assert [client.get(f"/api/check/{one}").json()["place"] for one in waiting] == [1, 2, 3]
    full = client.post("/api/check", json={"claim": "Eels swim.", "urls": [URL]})
    assert (full.status_code, full.headers["retry-after"]) == (429, "30")
    assert full.json() == {"error": "3 checks are waiting already; try again later", "field": ""}
    client.post(f"/api/check/{waiting[0]}/cancel", json={})
    assert [client.get(f"/api/check/{one}").json()["place"] for one in waiting] == [None, 1, 2]
    checks.release.set()
    assert [over(client, one)["status"] for one in (first, *waiting)] == ["done", "cancelled", "done", "done"]
    assert [request.claim for request in checks.requests] == [f"{HELD} eels.", "Eels 1.", "Eels 2."]


def test_a_check_in_work_is_cancelled_and_what_is_over_stays(client: TestClient, checks: Scripted) -> None:
    check_id = ask(client, f"{SLOW} eels.")
    when(client, check_id, "working")
    assert client.post(f"/api/check/{check_id}/cancel", json={}).status_code == 200
    assert over(client, check_id)["status"] == "cancelled"
    done = ask(client)
    over(client, done)
    again = client.post(f"/api/check/{done}/cancel", json={})
    assert (again.status_code, again.json()["status"]) == (200, "done")


def test_cancelling_needs_no_body(client: TestClient) -> None:
    check_id = ask(client, f"{SLOW} eels.")
    assert client.post(f"/api/check/{check_id}/cancel").status_code == 200
    assert over(client, check_id)["status"] == "cancelled"
    assert client.post(f"/api/check/{check_id}/cancel", content=b"{", headers=JSON).status_code == 400


def test_a_check_that_would_fail_is_refused_at_once(checks: Scripted, folder: Path, limits: Limits) -> None:
    def lacking(strategy: Strategy) -> str:
        return "no model is here" if strategy is Strategy.ONE_CALL else ""

    with History(folder, limits.kept) as history:
        refuse = partial(language_note, llm="small-quantized")
        service = CheckService(checks, history, limits, lacking=lacking, refuse=refuse)
        with TestClient(secured(app(service), HOSTS, ""), base_url=HOME) as client:
            sent = {"claim": "Aale schwimmen in die Sargassosee.", "urls": [URL]}
            german = client.post("/api/check", json=sent)
            assert (german.status_code, german.json()["field"]) == (422, "claim")
            assert german.json()["error"].startswith("the claim seems to be in German, and these models read English")
            one_call = client.post("/api/check", json=sent | {"claim": "Eels swim.", "strategy": "one_call"})
            assert (one_call.status_code, one_call.json()) == (422, {"error": "no model is here", "field": "strategy"})
            assert client.get("/api/checks").json()["total"] == 0


def test_a_result_that_comes_after_cancelling_is_not_kept(client: TestClient, checks: Scripted) -> None:
    check_id = ask(client, f"{HELD} eels.")
    when(client, check_id, "working")
    assert client.post(f"/api/check/{check_id}/cancel", json={}).json()["cancelling"] is True
    checks.release.set()
    state = over(client, check_id)
    assert (state["status"], state["result"], state["cancelling"]) == ("cancelled", None, False)


@pytest.mark.parametrize(
    ("word", "error"),
    [
        (FAILS, "the model said nothing"),
        (BREAKS, "a fault of the program: ZeroDivisionError; the server's terminal says more"),
    ],
)
def test_a_check_that_fails_takes_no_other_down(
    client: TestClient, word: str, error: str, capsys: pytest.CaptureFixture[str]
) -> None:
    failed, good = ask(client, f"{word} eels."), ask(client)
    state = over(client, failed)
    assert (state["status"], state["error"], state["result"]) == ("failed", error, None)
    assert over(client, good)["status"] == "done"
    assert ("ZeroDivisionError" in capsys.readouterr().err) == (word == BREAKS)


def test_the_history_is_newest_first_and_paged(client: TestClient) -> None:
    ids = [ask(client, f"Eels {n}.") for n in range(3)]
    first = client.get("/api/checks", params={"limit": 2}).json()
    assert ([one["id"] for one in first["checks"]], first["total"]) == ([ids[2], ids[1]], 3)
    rest = client.get(first["next"]).json()
    assert ([one["id"] for one in rest["checks"]], rest["next"]) == ([ids[0]], None)
    assert client.get("/api/checks", params={"start": 9}).json()["checks"] == []
    over(client, ids[2])
    (one,) = client.get("/api/checks", params={"limit": 1}).json()["checks"]
    assert (one["verdict"], one["level"], one["verdict_set"]) == ("Supported", "firm", ["Supported", "Refuted"])
    head = client.head(f"/api/check/{ids[0]}/events")
    assert (head.status_code, head.headers["content-type"].partition(";")[0]) == (200, "text/event-stream")


def test_a_check_that_is_over_can_be_deleted(client: TestClient) -> None:
    slow = ask(client, f"{SLOW} eels.")
    answer = client.delete(f"/api/check/{slow}")
    assert (answer.status_code, answer.json()["error"]) == (409, "is not over yet; cancel it first")
    client.post(f"/api/check/{slow}/cancel", json={})
    over(client, slow)
    assert client.delete(f"/api/check/{slow}").status_code == 204
    assert client.get(f"/api/check/{slow}").status_code == 404
    assert client.delete(f"/api/check/{slow}").json() == {"error": "there is no such check", "field": ""}


@pytest.mark.parametrize(
    ("changed", "field", "error"),
    [
        ({"claim": ""}, "claim", "is empty"),
        ({"claim": "\u0000 \n"}, "claim", "is empty"),
        ({"claim": "e" * 4001}, "claim", "must have at most 4000 characters"),
        ({"claim": None}, "claim", "Expected `str`, got `null`"),
        ({"urls": []}, "urls", "0 URLs; give 1 to 50"),
        ({"urls": [URL] * 51}, "urls", "51 URLs; give 1 to 50"),
        ({"urls": [URL, "file:///etc/passwd"]}, "urls[1]", "'file:///etc/passwd' is no http or https address"),
        ({"urls": ["javascript:alert(1)"]}, "urls[0]", "'javascript:alert(1)' is no http or https address"),
        (
            {"urls": ["https://eels.example/\r\nHost: evil"]},
            "urls[0]",
            "'https://eels.example/\\r\\nHost: evil' is no http or https address",
        ),
        ({"urls": ["https:// eels.example/"]}, "urls[0]", "'https:// eels.example/' is no http or https address"),
        ({"urls": [f"https://eels.example/{'e' * 2000}"]}, "urls[0]", "must have at most 2000 characters"),
        ({"urls": "https://eels.example/"}, "urls", "Expected `array`, got `str`"),
        ({"search": "brave"}, "urls", "a search is used without URLs and text"),
        ({"text": "x" * 30_001}, "text", "must have at most 30000 characters"),
        ({"date": "31-12-2020"}, "date", "is no date such as 2024-01-30"),
        ({"date": "2021-02-30"}, "date", "is no date such as 2024-01-30"),
        ({"strategy": "rails"}, "strategy", "'rails' is none of questions, programs, one_call"),
        ({"top_n": 0}, "top_n", "must be at least 1"),
        ({"top_n": 11}, "top_n", "must be at most 10"),
        ({"knowledge_store": "/etc/passwd"}, "knowledge_store", f"there is no such field; known are: {FIELDS}"),
    ],
)
def test_what_cannot_be_checked_is_refused_with_its_field(
    client: TestClient, checks: Scripted, changed: dict[str, Any], field: str, error: str
) -> None:
    answer = client.post("/api/check", json={"claim": "Eels swim.", "urls": [URL]} | changed)
    assert (answer.status_code, answer.json()) == (422, {"error": error, "field": field})
    assert checks.requests == []


@pytest.mark.parametrize("more", [{}, {"urls": [URL]}])
def test_a_text_is_read_as_evidence(client: TestClient, checks: Scripted, more: dict[str, Any]) -> None:
    sent = {"claim": "Eels swim.", "text": "Eels swim far, as <b>all</b> know."} | more
    state = over(client, client.post("/api/check", json=sent).json()["id"])
    assert state["sent"]["text"] == sent["text"]
    (request,) = checks.requests
    assert request.sources == Sources(
        urls=tuple(more.get("urls", ())), documents=(OwnDocument("text:1", sent["text"].encode()),)
    )


def test_the_strategy_may_be_called_by_its_former_name(client: TestClient, checks: Scripted) -> None:
    sent = b'{"claim": "A \\"road\\": eels swim.", "urls": ["https://eels.example/"], "road" : "programs"}'
    answer = client.post("/api/check", content=sent, headers=JSON)
    state = over(client, answer.json()["id"])
    assert state["sent"]["strategy"] == "programs"
    assert [(one.claim, one.strategy) for one in checks.requests] == [('A "road": eels swim.', "programs")]


@pytest.mark.parametrize("search", ["google", "file", "file:/etc/passwd", "brave@http://127.0.0.1/", "", "brave\n"])
def test_only_offered_search_providers_are_used(client: TestClient, search: str) -> None:
    answer = client.post("/api/check", json={"claim": "Eels swim.", "search": search})
    assert (answer.status_code, answer.json()["field"]) == (422, "search")
    assert answer.json()["error"].endswith("is no search provider here; known are: brave")


@pytest.mark.parametrize(
    ("address", "field"),
    [("/api/checks?limit=0", "limit"), ("/api/checks?limit=x", "limit"), ("/api/checks?start=-1", "start")],
)
def test_a_wrong_page_of_the_history_is_refused(client: TestClient, address: str, field: str) -> None:
    answer = client.get(address)
    assert (answer.status_code, answer.json()["field"]) == (422, field)


def test_a_full_disk_is_reported(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(history: History, check: object, result: object = None) -> None:
        raise OutputError("cannot write x.json: No space left on device")

    monkeypatch.setattr(History, "write", full)
    answer = client.post("/api/check", json={"claim": "Eels swim.", "urls": [URL]})
    assert (answer.status_code, answer.json()["error"]) == (507, "cannot write x.json: No space left on device")


def test_a_disk_that_takes_no_result_fails_the_check_and_not_the_next(
    client: TestClient, checks: Scripted, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write = History.write

    def full(history: History, check: Any, result: object = None) -> None:
        if result is not None:
            raise OutputError("cannot write x.json: No space left on device")
        write(history, check)

    check_id = ask(client, f"{HELD} eels.")
    when(client, check_id, "working")
    with monkeypatch.context() as patched:
        patched.setattr(History, "write", full)
        checks.release.set()
        state = over(client, check_id)
    assert (state["status"], state["error"]) == ("failed", "cannot write x.json: No space left on device")
    assert over(client, ask(client))["status"] == "done"
    assert "No space left" in capsys.readouterr().err


def test_unknown_addresses_and_methods_are_refused_in_json(client: TestClient) -> None:
    for address in (f"/api/check/{NONE}", "/api/check/..%2f..%2fetc%2fpasswd", "/api/check/x", "/api/none"):
        assert (client.get(address).status_code, client.get(address).json()["field"]) == (404, "")
    assert client.get(f"/api/check/{NONE}/events").status_code == 404
    assert client.post(f"/api/check/{NONE}/cancel", json={}).status_code == 404
    wrong = client.put("/api/check", json={})
    assert (wrong.status_code, wrong.headers["allow"], wrong.json()["error"]) == (405, "POST", "Method Not Allowed")
    assert client.get(f"{HOME}/none").headers["content-type"].startswith("text/html")


def test_a_fault_of_the_program_has_the_headers_of_every_answer(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(History, "checks", lambda _: 1 / 0)
    answered = TestClient(client.app, base_url=HOME, raise_server_exceptions=False)
    for address in ("/", "/api/checks"):
        answer = answered.get(address)
        assert answer.status_code == 500
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"]


SENT: dict[str, Any] = {"claim": "Eels swim.", "urls": [URL]}
JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "127.0.0.1@evil.example"])
@pytest.mark.parametrize("address", ["/", "/api/checks", "/openapi.json"])
def test_other_names_for_this_machine_are_refused(client: TestClient, host: str, address: str) -> None:
    answer = client.get(address, headers={"Host": host})
    assert (answer.status_code, answer.text) == (400, "Invalid host header")


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:9999"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_a_page_of_another_site_changes_nothing(client: TestClient, checks: Scripted, headers: dict[str, str]) -> None:
    check_id = ask(client)
    over(client, check_id)
    count = len(checks.requests)
    answers = [
        client.post("/api/check", json=SENT, headers=headers),
        client.post(f"/api/check/{check_id}/cancel", json={}, headers=headers),
        client.delete(f"/api/check/{check_id}", headers=headers),
        client.get(f"/api/check/{check_id}/events", headers=headers),
    ]
    assert [answer.status_code for answer in answers] == [403] * 4
    assert {answer.json()["error"] for answer in answers} == {"a page of another site may not ask for this"}
    our_form = form(client)  # with the token of our own page, which another site cannot read
    pages = [client.post(path, data=our_form, headers=headers) for path in ("/check", f"/check/{check_id}/delete")]
    assert [answer.status_code for answer in pages] == [403] * 2
    assert all("a page of another site" in answer.text for answer in pages)
    allowed = client.options("/api/check", headers=headers | {"Access-Control-Request-Method": "POST"})
    assert not [name for name in allowed.headers if name.startswith("access-control")]
    assert client.get("/api/checks").json()["total"] == 1
    assert len(checks.requests) == count


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""])
def test_a_form_of_another_site_cannot_send_json(client: TestClient, checks: Scripted, kind: str) -> None:
    answer = client.post("/api/check", content=b'{"claim": "x"}', headers={"Content-Type": kind})
    assert (answer.status_code, answer.json()["field"]) == (415, "content-type")
    assert checks.requests == []


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b'{"claim": "\\ud800", "urls": ["https://eels.example/"]}',
        b'{"claim": "\xed\xa0\x80"}',
        b'{"claim": "a"} {"claim": "b"}',
    ],
)
def test_what_is_no_json_is_refused(client: TestClient, checks: Scripted, body: bytes) -> None:
    answer = client.post("/api/check", content=body, headers=JSON)
    assert (answer.status_code, answer.json().keys()) == (400, {"error", "field"})
    assert checks.requests == []


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 60_000,
        b'{"claim":' * 6_000,
        b"[]",
        b"1",
        b'"x"',
        b"null",
        b"{}",
        b'{"claim": {"a": 1}}',
        b'{"urls": [[[]]]}',
    ],
)
def test_json_of_another_shape_is_refused(client: TestClient, body: bytes) -> None:
    answer = client.post("/api/check", content=body, headers=JSON)
    assert (answer.status_code, "\n" in answer.json()["error"]) == (422, False)


def test_a_body_that_is_too_long_is_refused_whatever_length_it_announces(client: TestClient) -> None:
    def parts() -> Iterator[bytes]:
        for _ in range(500):
            yield b" " * 1_000

    for answer in (
        client.post("/api/check", content=b" " * 400_001, headers=JSON),
        client.post("/api/check", content=parts(), headers=JSON),
        client.post("/api/check", content=b" " * 400_001, headers=JSON | {"Content-Length": "2"}),
    ):
        assert (answer.status_code, answer.json()["error"]) == (413, "longer than 400000 bytes")


def test_no_id_leads_to_a_file(client: TestClient, folder: Any) -> None:
    (folder / "secret.json").write_text("{}", "utf-8")
    (folder.parent / "out.json").write_text("{}", "utf-8")
    for name in ("secret", "..%2fout", "%2e%2e%2fout", "..\\out", ".lock", "%00", "a" * 5000):
        assert client.get(f"/api/check/{name}").status_code == 404
        assert client.get(f"/check/{name}").status_code == 404
        assert client.delete(f"/api/check/{name}").status_code == 404
    assert (folder / "secret.json").exists()


def test_every_answer_says_what_a_browser_may_load(client: TestClient) -> None:
    check_id = ask(client)
    for address in ("/", f"/check/{check_id}", "/none", "/api/checks", "/api/none", "/openapi.json"):
        headers = client.get(address).headers
        assert headers["content-security-policy"].startswith("default-src 'none';"), address
        assert "unsafe" not in headers["content-security-policy"]
        assert "*" not in headers["content-security-policy"]
        assert (headers["x-content-type-options"], headers["referrer-policy"]) == ("nosniff", "no-referrer")
        assert headers["cache-control"] == "no-store"
