"""The server checks with the retriever, selection and reranker that its flags name."""

import time
from pathlib import Path
from typing import Any

import pytest
import requests

from src.check import CheckRequest, Models, Scraping, Select, Sources
from src.report import serve
from src.retrieval.url_rows import read_url_rows
from src.store import read_claims
from tests.check.needed import need_models
from tests.retrieval.archive import archive
from tests.serving.served import served

PATIENCE = 300.0  # seconds until a test gives up


def test_the_selection_of_the_server_goes_to_every_check(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[CheckRequest] = []
    monkeypatch.setattr(serve, "check_claim", lambda asked, **_: seen.append(asked))
    asked = CheckRequest("Eels swim.", Sources(urls=("https://a.example/",)))
    serve._checked(Models(), Scraping(), Select.LIKENESS, asked, lambda _: None, lambda: False)
    assert [one.select for one in seen] == [Select.LIKENESS]


def test_names_are_read_from_the_flags() -> None:
    args = serve.main.parse(["--retriever", "bm25", "--select", "likeness", "--reranker", "none"]).models
    assert (args.retriever, args.select, args.reranker, args.verdict) == ("bm25", "likeness", "none", "stacked")
    usual = serve.main.parse([]).models
    assert (usual.retriever, usual.select, usual.reranker) == ("hybrid", "stance", None)


def test_a_check_asks_the_models_that_the_flags_name(project_root: Path, sample: Path, tmp_path: Path) -> None:
    need_models(project_root)
    claim = read_claims(sample / "claims.json")[4]
    urls = [row.url for row in read_url_rows(sample / "urls" / "4.tsv")]
    flags = ["--port", "0", "--history", str(tmp_path / "checks"), "--allow_private", "--samples", "0"]
    flags += ["--retriever", "bm25", "--select", "likeness", "--reranker", "none"]
    with archive(sample) as via, served(project_root, "src.report.serve", *flags, "--via", via) as (address, _):
        sent = requests.post(f"{address}api/check", json={"claim": claim.claim, "urls": urls, "top_n": 2}, timeout=60)
        found = _over(f"{address}api/check/{sent.json()['id']}")
    assert found["status"] == "done", found["error"]
    result = found["result"]
    assert len(result["prediction"]["evidence"]) == 2
    assert result["models"]["reranker"].startswith("all-MiniLM-L6-v2 (")
    assert "encoder" not in result["models"]
    assert not any("reason" in one for one in result["sentences"])


def _over(address: str) -> dict[str, Any]:
    """Wait until the check is over."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        found: dict[str, Any] = requests.get(address, timeout=60).json()
        if found["status"] not in ("waiting", "working"):
            return found
        time.sleep(0.5)
    raise TimeoutError(address)
