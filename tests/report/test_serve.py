"""The server with its own models: a claim of the sample, its pages from an archive on loopback."""

import re
import signal
from pathlib import Path
from typing import Any

import psutil
import pytest
import requests
from playwright.sync_api import Browser, expect

from src.check import CheckRequest, Models, ModelSettings, Select, Sources
from src.report import serve
from src.report.server.settings import ServiceSettings
from src.retrieval.url_rows import read_url_rows
from src.store import read_claims
from tests.accessibility import violations
from tests.browsing import opened
from tests.check.needed import need_models
from tests.retrieval.archive import archive
from tests.serving.served import served, wait_until

pytestmark = pytest.mark.long

PATIENCE = 300.0  # seconds until a test gives up
CLAIM = 4


@pytest.fixture
def sent(sample: Path) -> dict[str, Any]:
    """The claim and the URLs that a search found for it."""
    claim = read_claims(sample / "claims.json")[CLAIM]
    urls = [row.url for row in read_url_rows(sample / "urls" / f"{CLAIM}.tsv")]
    return {"claim": claim.claim, "urls": urls, "speaker": claim.speaker, "date": "2024-01-30"}


def test_a_claim_is_typed_and_its_page_is_read(
    project_root: Path, sample: Path, tmp_path: Path, sent: dict[str, Any], browser: Browser
) -> None:
    need_models(project_root)
    flags = ("--port", "0", "--history", str(tmp_path / "checks"), "--allow_private", "--samples", "0")
    with archive(sample) as via, served(project_root, "src.report.serve", *flags, "--via", via) as (address, process):
        assert process.stdout is not None
        assert process.stdout.readline().startswith(f"serve: 0 checks in {tmp_path / 'checks'}; ")
        with opened(browser, address) as page:
            page.get_by_label("Claim", exact=True).fill(sent["claim"])
            page.get_by_label("Sources").fill("\n".join(sent["urls"]))
            page.get_by_label("Date of the claim").fill(sent["date"])
            page.get_by_role("button", name="Check", exact=True).click()
            expect(page.get_by_role("status")).to_have_text(re.compile("^Working: "))
            expect(page.get_by_role("heading", name="Why")).to_be_visible(timeout=PATIENCE * 1000)
            title, url = page.title(), page.url
            page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
            assert violations(page) == []
            page.set_viewport_size({"width": 360, "height": 740})
            assert page.evaluate("document.documentElement.scrollWidth") == 360
        state = requests.get(f"{address}api/check/{url.rpartition('/')[2]}", timeout=PATIENCE).json()
    assert state["status"] == "done", state["error"]
    result = state["result"]
    headline, _, titled = title.partition(": ")
    assert (titled, state["verdict"] in headline) == (sent["claim"], state["level"] != "undecided")
    assert [log["url"] for log in result["pages"]] == sent["urls"]
    assert sum(log["sentences"] > 0 for log in result["pages"]) > 5
    assert result["prediction"]["pred_label"] == state["verdict"]
    assert result["prediction"]["evidence"]
    assert result["explained"]["explanation"]
    stages = [one["stage"] for one in state["stages"] if one["stage"] != "waiting for models"]  # on a busy machine
    assert stages[0] == "pages"
    decided = ["verdict", "decisive evidence", "justification"]
    assert stages[-6:] == ["retrieval", "selection of evidence", "questions", *decided]


def test_private_addresses_are_refused_unless_they_are_allowed(
    project_root: Path, sample: Path, tmp_path: Path, sent: dict[str, Any]
) -> None:
    need_models(project_root)
    flags = ("--port", "0", "--history", str(tmp_path / "checks"))
    with archive(sample) as via, served(project_root, "src.report.serve", *flags) as (address, _):
        sent |= {"urls": [f"{via}{url}" for url in sent["urls"]][:1], "strategy": "programs"}
        accepted = requests.post(f"{address}api/check", json=sent, timeout=PATIENCE).json()
        requests.get(address.rstrip("/") + accepted["links"]["events"], timeout=PATIENCE)
        state = requests.get(address.rstrip("/") + accepted["links"]["self"], timeout=PATIENCE).json()
    assert (state["status"], state["result"]) == ("failed", None)
    assert "no page could be read" in state["error"]
    assert "loopback" in state["error"]


def test_a_signal_while_pages_are_fetched_leaves_no_process(
    project_root: Path, sample: Path, tmp_path: Path, sent: dict[str, Any]
) -> None:
    flags = ("--port", "0", "--history", str(tmp_path / "checks"), "--allow_private")
    with (
        archive(sample, seconds=2.0) as via,
        served(project_root, "src.report.serve", *flags, "--via", via) as (address, process),
    ):
        accepted = requests.post(f"{address}api/check", json=sent, timeout=PATIENCE).json()
        state_at = address.rstrip("/") + accepted["links"]["self"]
        wait_until(lambda: requests.get(state_at, timeout=PATIENCE).json()["stages"], bool)
        below = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == -signal.SIGTERM
        assert psutil.wait_procs(below, timeout=PATIENCE)[1] == []
    assert b'"status":"stopped"' in (tmp_path / "checks" / f"{accepted['id']}.json").read_bytes()


PATIENCE = 300.0  # seconds until a test gives up


def test_the_selection_of_the_server_goes_to_every_check(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[CheckRequest] = []
    monkeypatch.setattr("src.report.server.settings.check_claim", lambda request, **_: seen.append(request))
    request = CheckRequest("Eels swim.", Sources(urls=("https://a.example/",)))
    check = ServiceSettings().check_function(Models(), Select.LIKENESS)
    check(request, lambda _: None, lambda: False)
    assert [one.select for one in seen] == [Select.LIKENESS]


def test_the_flags_name_the_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen: list[ModelSettings] = []

    def choose(settings: ModelSettings) -> Models:
        chosen.append(settings)
        return Models()

    monkeypatch.setattr(serve, "Models", choose)
    monkeypatch.setattr("src.serving.run.serve", lambda *_: None)
    flags = ["--retriever", "bm25", "--select", "likeness", "--reranker", "none", "--samples", "0"]
    assert serve.main(["--history", str(tmp_path / "checks"), *flags]) == 0
    (models,) = chosen
    assert (models.retriever, models.select, models.reranker, models.writer.samples) == ("bm25", "likeness", "none", 0)
