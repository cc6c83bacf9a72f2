"""The pages as a browser without a script has them."""

import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from src.check.records import Strategy
from src.report.server.app import app
from src.report.server.check_service import CheckService
from src.report.server.history import History
from src.report.server.records import Limits
from src.serving.run import secured
from tests.report.server.scripted import (
    FAILS,
    HELD,
    HOME,
    HOSTILE,
    HOSTS,
    HURTS,
    SLOW,
    URL,
    Scripted,
    ask,
    form,
    over,
    token,
    when,
)


def test_the_form_leads_to_the_check_and_then_to_its_page(client: TestClient, checks: Scripted) -> None:
    answer = client.post("/check", data=form(client, date="2020-08-05"))
    assert answer.status_code == 303
    check_id = answer.headers["location"].removeprefix("/check/")
    assert over(client, check_id)["status"] == "done"
    (request,) = checks.requests
    assert (request.sources.urls, request.date, request.speaker) == ((URL, f"{URL}2"), "05-08-2020", "Nils")
    assert (request.strategy, request.top_n) == ("programs", 4)
    page = client.get(f"/check/{check_id}").text
    assert "Supported" in page
    assert f'href="/?from={check_id}"' in page
    home = client.get("/").text
    assert f'href="/check/{check_id}"' in home
    assert f'href="/?from={check_id}"' in home


def test_a_strategy_whose_model_is_missing_is_not_offered(checks: Scripted, tmp_path: Path) -> None:
    missing = {Strategy.ONE_CALL: "the model <x> is not here; run: fetch x"}
    with History(tmp_path, 5) as history:
        service = CheckService(checks, history, Limits(), lacking=lambda strategy: missing.get(strategy, ""))
        with TestClient(secured(app(service), HOSTS, ""), base_url=HOME) as client:
            form = client.get("/").text
            assert "<option selected>questions</option><option>programs</option>" in form
            assert "<option disabled>one_call</option>" in form
            assert "Not here: one_call (the model &lt;x&gt; is not here; run: fetch x)." in form
            missing.clear()
            form = client.get("/").text
            assert "<option>one_call</option>" in form
            assert "Not here" not in form


def test_a_wrong_form_comes_back_with_its_text_and_what_is_wrong(client: TestClient, checks: Scripted) -> None:
    for changed, message in (
        ({"claim": " "}, "Claim: is empty"),
        ({"urls": ""}, "Sources: give URLs or a text, or else a search provider"),
        (
            {"urls": "ftp://eels.example"},
            "Sources, number 1: &#39;ftp://eels.example&#39; is no http or https address",
        ),
        ({"date": "x"}, "Date of the claim: is no date such as 2024-01-30"),
        ({"top_n": "x"}, "Pieces of evidence: &#39;x&#39; is no whole number"),
        ({"top_n": "9" * 5000}, f"Pieces of evidence: &#39;{'9' * 20}&#39; is no whole number"),
        ({"top_n": "11"}, "Pieces of evidence: must be at most 10"),
    ):
        answer = client.post("/check", data=form(client, speaker="<b>Nils", **changed))
        assert answer.status_code == 422
        assert f">{message}<" in answer.text
        assert 'value="&lt;b&gt;Nils"' in answer.text
    assert checks.requests == []


def test_a_line_break_is_one_character_as_browsers_count_it(client: TestClient, checks: Scripted) -> None:
    text = "Eels swim\n" * 3000
    sent = form(client, urls="", text=text.replace("\n", "\r\n"), claim=f"{'e' * 3990}\r\nels swim.")
    answer = client.post("/check", data=sent)
    assert answer.status_code == 303
    over(client, answer.headers["location"].removeprefix("/check/"))
    (request,) = checks.requests
    assert [one.content for one in request.sources.documents] == [text.encode()]
    assert client.post("/check", data=form(client, urls="", text=f"{text}\r\n")).status_code == 422


def test_a_form_that_is_none_of_ours_is_refused(client: TestClient, checks: Scripted) -> None:
    for sent in (form(client, token=""), form(client, token="x"), form(client, token="\u00e9"), {}):
        answer = client.post("/check", data=sent, headers={"Content-Type": "application/x-www-form-urlencoded"})
        assert answer.status_code == 403
    check_id = ask(client)
    over(client, check_id)
    for what in ("cancel", "delete"):
        assert client.post(f"/check/{check_id}/{what}", data={"token": "x"}).status_code == 403
    assert client.post("/check", json=form(client)).status_code == 415
    long = client.post("/check", data=form(client, speaker="x" * 400_000))
    assert long.status_code == 413
    many = client.post("/check", data={f"f{n}": "x" for n in range(99)})
    assert many.status_code == 400
    assert len(checks.requests) == 1


def test_a_full_queue_comes_back_with_the_form(client: TestClient) -> None:
    when(client, ask(client, f"{HELD} eels."), "working")
    for _ in range(3):
        ask(client)
    answer = client.post("/check", data=form(client))
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "30")
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "3 checks are waiting already" in answer.text
    assert "Eels swim." in answer.text


def test_a_check_is_cancelled_and_deleted_by_its_buttons(client: TestClient) -> None:
    check_id = ask(client, f"{SLOW} eels.")
    when(client, check_id, "working")
    page = client.get(f"/check/{check_id}").text
    assert '<noscript><meta http-equiv="refresh" content="3"></noscript>' in page
    assert f'action="/check/{check_id}/cancel"' in page
    sent = {"token": token(client)}
    assert client.post(f"/check/{check_id}/delete", data=sent).status_code == 409
    assert client.post(f"/check/{check_id}/cancel", data=sent).headers["location"] == f"/check/{check_id}"
    over(client, check_id)
    page = client.get(f"/check/{check_id}").text
    assert "Cancelled" in page
    assert "refresh" not in page
    assert client.post(f"/check/{check_id}/delete", data=sent).headers["location"] == f"/?deleted={check_id}"
    gone = client.get(f"/check/{check_id}")
    assert (gone.status_code, "there is no such check" in gone.text) == (404, True)


def test_the_check_that_was_deleted_last_can_be_restored(client: TestClient, folder: Path) -> None:
    first, second = ask(client, "Eels swim."), ask(client, "Eels fly.")
    over(client, first)
    over(client, second)
    sent = {"token": token(client)}
    for check_id in (first, second):
        home = client.get(client.post(f"/check/{check_id}/delete", data=sent).headers["location"]).text
        assert f'action="/check/{check_id}/restore"' in home
    assert client.post(f"/check/{second}/restore", data={"token": "x"}).status_code == 403
    assert client.post(f"/check/{first}/restore", data=sent).status_code == 404
    assert client.post(f"/check/{second}/restore", data=sent).headers["location"] == f"/check/{second}"
    assert client.get(f"/api/check/{second}").json()["result"]
    assert client.post(f"/check/{second}/restore", data=sent).status_code == 404
    client.post(f"/check/{second}/delete", data=sent)
    assert [path.name for path in folder.iterdir() if path.name != ".lock"] == [f"{second}.deleted"]


def test_what_cannot_be_deleted_leaves_the_earlier_one_to_be_restored(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = ask(client, "Eels swim."), ask(client, "Eels fly.")
    over(client, first)
    over(client, second)
    sent = {"token": token(client)}
    client.post(f"/check/{first}/delete", data=sent)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", refuse)
        assert client.post(f"/check/{second}/delete", data=sent).status_code == 507
    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", refuse)
        assert client.delete(f"/api/check/{second}").status_code == 507
    assert client.post(f"/check/{first}/restore", data=sent).status_code == 303
    for check_id in (first, second):
        assert client.get(f"/api/check/{check_id}").json()["result"]


def test_a_deleted_check_whose_file_is_missing_cannot_be_restored(client: TestClient, folder: Path) -> None:
    check_id = ask(client, "Eels swim.")
    over(client, check_id)
    sent = {"token": token(client)}
    address = client.post(f"/check/{check_id}/delete", data=sent).headers["location"]
    (folder / f"{check_id}.deleted").unlink()
    assert "/restore" not in client.get(address).text
    assert client.post(f"/check/{check_id}/restore", data=sent).status_code == 404
    assert client.get(f"/check/{check_id}").status_code == 404
    assert client.get("/api/checks").json()["total"] == 0


def test_the_sources_of_a_check_are_a_bibliography(client: TestClient) -> None:
    check_id = ask(client)
    over(client, check_id)
    assert f'href="/check/{check_id}/sources.bib"' in client.get(f"/check/{check_id}").text
    answer = client.get(f"/check/{check_id}/sources.bib")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    result = client.get(f"/api/check/{check_id}").json()["result"]
    urls = {pair["url"] for pair in result["prediction"]["evidence"] if pair["url"]}
    assert answer.text.count("@misc{") == len(urls)
    failed = ask(client, f"{FAILS} eels.")
    over(client, failed)
    for other in (failed, "x"):
        assert client.get(f"/check/{other}/sources.bib").status_code == 404


def test_a_check_that_failed_says_why_and_can_be_asked_for_again(client: TestClient) -> None:
    check_id = ask(client, f"{FAILS} eels.", speaker='"Nils"', date="2020-08-05", strategy="programs", top_n=7)
    over(client, check_id)
    assert "Failed: the model said nothing" in client.get(f"/check/{check_id}").text
    again = client.get("/", params={"from": check_id}).text
    for shown in (
        f">{FAILS} eels.</textarea>",
        f">{URL}</textarea>",
        "&#34;Nils&#34;",
        'value="2020-08-05"',
        'value="7"',
    ):
        assert shown in again
    assert "<option selected>programs</option>" in again
    assert client.get("/", params={"from": "x"}).status_code == 404


def test_markup_in_a_claim_and_its_result_is_text(client: TestClient) -> None:
    check_id = ask(client, f"{HURTS} {HOSTILE}", speaker=HOSTILE)
    over(client, check_id)
    for address in ("/", f"/check/{check_id}", f"/?from={check_id}"):
        text = client.get(address).text
        assert "<script>window" not in text
        assert "<img" not in text
        assert 'href="javascript' not in text
        assert 'href="data:text' not in text
        assert "49" not in re.sub(
            r"[0-9a-f]{32}|sha256-\S+|\d\d:\d\d|<style>.*?</style>|value=\S+", "", text, flags=re.S
        )


@pytest.mark.parametrize("address", ["/?start=x", "/?start=-1"])
def test_a_wrong_page_of_the_history_is_a_page_that_says_so(client: TestClient, address: str) -> None:
    answer = client.get(f"{HOME}{address}")
    assert (answer.status_code, answer.headers["content-type"]) == (422, "text/html; charset=utf-8")


def test_the_history_has_pages(client: TestClient) -> None:
    ids = []
    for number in range(21):
        ids.append(ask(client, f"Eels {number}."))
        over(client, ids[-1])
    first, second = client.get("/").text, client.get("/?start=20").text
    assert (f"/check/{ids[0]}" in first, 'href="/?start=20">Older' in first) == (False, True)
    assert (f"/check/{ids[0]}" in second, 'href="/?start=0">Newer' in second) == (True, True)
