"""Requests that no page of ours and no honest program would send."""

from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.report.server.asking import HOME, URL, ask, form, over
from tests.report.server.scripted import Scripted

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
        {"Origin": "https://127.0.0.1:8020"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_a_page_of_another_site_changes_nothing(client: TestClient, checks: Scripted, headers: dict[str, str]) -> None:
    check_id = ask(client)
    over(client, check_id)
    asked = len(checks.asked)
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
    assert len(checks.asked) == asked


def test_our_own_pages_may_ask(client: TestClient) -> None:
    own = {"Origin": HOME, "Sec-Fetch-Site": "same-origin"}
    assert client.post("/api/check", json=SENT, headers=own).status_code == 202


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""])
def test_a_form_of_another_site_cannot_send_json(client: TestClient, checks: Scripted, kind: str) -> None:
    answer = client.post("/api/check", content=b'{"claim": "x"}', headers={"Content-Type": kind})
    assert (answer.status_code, answer.json()["field"]) == (415, "content-type")
    assert checks.asked == []


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
    assert checks.asked == []


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
        for _ in range(100):
            yield b" " * 1_000

    for answer in (
        client.post("/api/check", content=b" " * 64_001, headers=JSON),
        client.post("/api/check", content=parts(), headers=JSON),
        client.post("/api/check", content=b" " * 64_001, headers=JSON | {"Content-Length": "2"}),
    ):
        assert (answer.status_code, answer.json()["error"]) == (413, "longer than 64000 bytes")


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
