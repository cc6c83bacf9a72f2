"""What programs ask over HTTP, and what they are answered."""

from typing import Any

import msgspec
import pytest
from starlette.testclient import TestClient

from src.check.records import CheckedClaim
from src.errors import OutputError
from src.records import Verdict
from src.report.server.history import History
from tests.report.server.asking import HOME, URL, ask, over, when
from tests.report.server.scripted import BREAKS, FAILS, HELD, SLOW, Scripted

NONE = "0" * 32
JSON = {"Content-Type": "application/json"}


def test_a_claim_is_checked_and_its_result_can_be_read(client: TestClient, checks: Scripted) -> None:
    sent = {"claim": " Eels\n swim. ", "urls": [URL, URL], "date": "2020-08-05", "speaker": "Nils", "top_n": 3}
    accepted = client.post("/api/check", json=sent | {"road": "programs"})
    assert (accepted.status_code, accepted.json()["status"]) == (202, "waiting")
    assert accepted.headers["location"] == accepted.json()["links"]["self"]
    found = over(client, accepted.json()["id"])
    assert (found["status"], found["verdict"], found["error"]) == ("done", "Supported", "")
    assert msgspec.convert(found["result"], CheckedClaim).prediction.pred_label is Verdict.SUPPORTED
    (asked,) = checks.asked
    assert (asked.claim, asked.sources.urls, asked.date, asked.speaker) == ("Eels swim.", (URL,), "05-08-2020", "Nils")
    assert (asked.strategy, asked.top_n) == ("programs", 3)


def test_the_stages_of_a_check_are_told_while_it_works(client: TestClient) -> None:
    check_id = ask(client, f"{SLOW} eels.")
    when(client, check_id, "working")
    while len(client.get(f"/api/check/{check_id}").json()["stages"][0]["texts"]) < 3:
        pass
    found = client.get(f"/api/check/{check_id}").json()
    (stage,) = found["stages"]
    assert (stage["stage"], stage["done"], stage["total"]) == ("pages", 3, 3)
    assert stage["texts"][-1] == "https://eels.example/3"
    assert found["result"] is None


def test_checks_wait_for_their_turn_and_a_full_queue_is_told(client: TestClient, checks: Scripted) -> None:
    first = ask(client, f"{HELD} eels.")
    when(client, first, "working")
    waiting = [ask(client, f"Eels {n}.") for n in range(3)]
    assert [client.get(f"/api/check/{one}").json()["place"] for one in waiting] == [1, 2, 3]
    full = client.post("/api/check", json={"claim": "Eels.", "urls": [URL]})
    assert (full.status_code, full.headers["retry-after"]) == (429, "30")
    assert full.json() == {"error": "3 checks are waiting already; try again later", "field": ""}
    client.post(f"/api/check/{waiting[0]}/cancel", json={})
    assert [client.get(f"/api/check/{one}").json()["place"] for one in waiting] == [None, 1, 2]
    checks.release.set()
    assert [over(client, one)["status"] for one in (first, *waiting)] == ["done", "cancelled", "done", "done"]
    assert [asked.claim for asked in checks.asked] == [f"{HELD} eels.", "Eels 1.", "Eels 2."]


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


def test_a_result_that_comes_after_cancelling_is_not_kept(client: TestClient, checks: Scripted) -> None:
    check_id = ask(client, f"{HELD} eels.")
    when(client, check_id, "working")
    assert client.post(f"/api/check/{check_id}/cancel", json={}).json()["cancelling"] is True
    checks.release.set()
    found = over(client, check_id)
    assert (found["status"], found["result"], found["cancelling"]) == ("cancelled", None, False)


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
    found = over(client, failed)
    assert (found["status"], found["error"], found["result"]) == ("failed", error, None)
    assert over(client, good)["status"] == "done"
    assert ("ZeroDivisionError" in capsys.readouterr().err) == (word == BREAKS)


def test_events_hold_the_state_until_the_end(client: TestClient) -> None:
    check_id = ask(client)
    lines = client.get(f"/api/check/{check_id}/events").text.split("\n\n")
    assert lines[0] == "retry: 2000"
    name, number, data = lines[-2].split("\n")
    assert (name, number.partition(": ")[0]) == ("event: end", "id")
    assert msgspec.json.decode(data.removeprefix("data: "))["status"] == "done"
    head = client.head(f"/api/check/{check_id}/events")
    assert (head.status_code, head.headers["content-type"].partition(";")[0]) == (200, "text/event-stream")


def test_the_history_is_newest_first_and_paged(client: TestClient) -> None:
    ids = [ask(client, f"Eels {n}.") for n in range(3)]
    first = client.get("/api/checks", params={"limit": 2}).json()
    assert ([one["id"] for one in first["checks"]], first["total"]) == ([ids[2], ids[1]], 3)
    rest = client.get(first["next"]).json()
    assert ([one["id"] for one in rest["checks"]], rest["next"]) == ([ids[0]], None)
    assert client.get("/api/checks", params={"start": 9}).json()["checks"] == []


def test_the_history_has_level_and_set_of_a_check_that_is_done(client: TestClient) -> None:
    over(client, ask(client))
    (one,) = client.get("/api/checks").json()["checks"]
    assert (one["verdict"], one["level"], one["verdict_set"]) == ("Supported", "firm", ["Supported", "Refuted"])


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
        ({"claim": "e" * 4001}, "claim", "Expected `str` of length <= 4000"),
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
        ({"urls": [f"https://eels.example/{'e' * 2000}"]}, "urls[0]", "Expected `str` of length <= 2000"),
        ({"urls": "https://eels.example/"}, "urls", "Expected `array`, got `str`"),
        ({"search": "brave"}, "urls", "give URLs or a search provider, one of the two"),
        ({"date": "31-12-2020"}, "date", "is no date such as 2024-01-30"),
        ({"date": "2021-02-30"}, "date", "is no date such as 2024-01-30"),
        ({"road": "rails"}, "road", "'rails' is none of questions, programs"),
        ({"top_n": 0}, "top_n", "Expected `int` >= 1"),
        ({"top_n": 11}, "top_n", "Expected `int` <= 10"),
        ({"knowledge_store": "/etc/passwd"}, "", "Object contains unknown field `knowledge_store`"),
    ],
)
def test_what_cannot_be_checked_is_refused_with_its_field(
    client: TestClient, checks: Scripted, changed: dict[str, Any], field: str, error: str
) -> None:
    answer = client.post("/api/check", json={"claim": "Eels swim.", "urls": [URL]} | changed)
    assert (answer.status_code, answer.json()) == (422, {"error": error, "field": field})
    assert checks.asked == []


@pytest.mark.parametrize("search", ["google", "file", "file:/etc/passwd", "brave@http://127.0.0.1/", "", "brave\n"])
def test_only_search_providers_that_are_offered_are_asked(client: TestClient, search: str) -> None:
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


def test_a_disk_that_takes_nothing_is_told(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
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
        found = over(client, check_id)
    assert (found["status"], found["error"]) == ("failed", "cannot write x.json: No space left on device")
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
