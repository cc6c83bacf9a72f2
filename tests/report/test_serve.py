"""The step with its own models: a claim of the sample, its pages from an archive on loopback, the page at the end."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
import requests

from src.check.models import ENTAILMENT
from src.llm.weights import MINILM, MPNET, SMOLLM2, is_there
from src.models.trained import is_trained
from src.retrieval.url_rows import read_url_rows
from src.store import read_claims
from tests.retrieval.archive import archive

PATIENCE = 300.0  # seconds until a test gives up
CLAIM = 4


@pytest.fixture
def sent(sample: Path) -> dict[str, object]:
    """The claim and the URLs that a search found for it."""
    claim = read_claims(sample / "claims.json")[CLAIM]
    urls = [row.url for row in read_url_rows(sample / "urls" / f"{CLAIM}.tsv")]
    return {"claim": claim.claim, "urls": urls, "speaker": claim.speaker, "date": "2024-01-30"}


@contextmanager
def served(project_root: Path, history: Path, *flags: str) -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    command = [sys.executable, "-m", "src.report.serve", "--port", "0", "--history", str(history), *flags]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=project_root, text=True, stdout=pipe, stderr=pipe) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip(), process
        finally:
            process.terminate()


def need_models(project_root: Path) -> None:
    """Without them a test is skipped, and fails with `CI=true`."""
    root = project_root / "pretrained_models"
    lacking = [one.name for one in (MINILM, MPNET, SMOLLM2) if not is_there(one, root)]
    if lacking or not is_trained(project_root / ENTAILMENT):
        reason = f"not in pretrained_models: {', '.join(lacking) or ENTAILMENT}; run: python -m src.llm.fetch"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)


def test_a_claim_is_checked_from_its_addresses_to_its_page(
    project_root: Path, sample: Path, tmp_path: Path, sent: dict[str, object]
) -> None:
    need_models(project_root)
    with archive(sample) as via:
        flags = ("--via", via, "--allow_private", "--samples", "0")
        with served(project_root, tmp_path / "checks", *flags) as (address, process):
            assert process.stdout is not None
            assert process.stdout.readline().startswith(f"serve: 0 checks in {tmp_path / 'checks'}; ")
            accepted = requests.post(f"{address}api/check", json=sent, timeout=PATIENCE).json()
            events = requests.get(address.rstrip("/") + accepted["links"]["events"], timeout=PATIENCE).text
            found = requests.get(address.rstrip("/") + accepted["links"]["self"], timeout=PATIENCE).json()
            page = requests.get(address.rstrip("/") + accepted["links"]["page"], timeout=PATIENCE).text
    assert found["status"] == "done", found["error"]
    result = found["result"]
    assert [log["url"] for log in result["pages"]] == sent["urls"]
    assert sum(log["sentences"] > 0 for log in result["pages"]) > 5
    assert result["prediction"]["pred_label"] == found["verdict"]
    assert result["prediction"]["evidence"]
    assert result["explained"]["explanation"]
    stages = [one["stage"] for one in found["stages"]]
    assert stages == ["pages", "retrieval", "questions", "reranking", "verdict", "decisive evidence", "justification"]
    assert events.count("event: state") > len(stages)
    assert f"<title>{found['verdict']}: {sent['claim']}</title>" in page


def test_private_addresses_are_refused_unless_they_are_allowed(
    project_root: Path, sample: Path, tmp_path: Path, sent: dict[str, object]
) -> None:
    need_models(project_root)
    with archive(sample) as via, served(project_root, tmp_path / "checks", "--samples", "0") as (address, _):
        sent |= {"urls": [f"{via}{url}" for url in sent["urls"]][:1], "road": "programs"}  # type: ignore[attr-defined]
        accepted = requests.post(f"{address}api/check", json=sent, timeout=PATIENCE).json()
        requests.get(address.rstrip("/") + accepted["links"]["events"], timeout=PATIENCE)
        found = requests.get(address.rstrip("/") + accepted["links"]["self"], timeout=PATIENCE).json()
    assert found["status"] == "done", found["error"]
    assert "loopback" in found["result"]["pages"][0]["reason"]
    assert found["verdict"] == "Not Enough Evidence"


def test_a_signal_while_pages_are_fetched_leaves_no_process(
    project_root: Path, sample: Path, tmp_path: Path, sent: dict[str, object]
) -> None:
    with archive(sample, seconds=2.0) as via:
        flags = ("--via", via, "--allow_private")
        with served(project_root, tmp_path / "checks", *flags) as (address, process):
            accepted = requests.post(f"{address}api/check", json=sent, timeout=PATIENCE).json()
            state_at = address.rstrip("/") + accepted["links"]["self"]
            while not requests.get(state_at, timeout=PATIENCE).json()["stages"]:
                pass
            below = psutil.Process(process.pid).children(recursive=True)
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE) == -signal.SIGTERM
            assert psutil.wait_procs(below, timeout=PATIENCE)[1] == []
    assert b'"status":"stopped"' in (tmp_path / "checks" / f"{accepted['id']}.json").read_bytes()
