"""URLs from a file to the scraper, without a search engine."""

import json
from pathlib import Path

import pytest

from src.records import Document
from src.retrieval import scraper_for_knowledge_store as scraper
from src.retrieval import search
from src.retrieval.url_rows import read_url_rows
from src.runner.manifest import read_manifest
from src.store import read_records
from tests.retrieval.archive import archive
from tests.retrieval.searching.runs import CLAIMS, write_claims

CHAINED = (3, 6)
AWKWARD = 'https://nowhere.example/"quoted"/a,b?q="x"'


def test_urls_from_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    urls, store = tmp_path / "urls.txt", tmp_path / "store"
    claims = write_claims(tmp_path / "claims.json", CLAIMS)
    urls.write_text("https://all.example\n2\thttps://two.example\n0\thttps://checker.example/no-such-letter\n", "utf-8")
    arguments = ["--claim_file", str(claims), "-o", str(store), "-p", f"file:{urls}"]
    assert search.main([*arguments, "--dry_run"]) == 0
    assert (
        capsys.readouterr().out
        == f"search: 3 claims to search for, 5 URLs in file:{urls}; 0 claims are already there\n"
    )
    assert search.main(arguments) == 0
    made = read_manifest(store / "0.tsv")
    assert made is not None
    assert made.deterministic
    assert (store / "0.tsv").read_text("utf-8") == "0\tgiven\thttps://all.example\t\n"
    assert [row.url for row in read_url_rows(store / "2.tsv")] == ["https://two.example", "https://all.example"]
    urls.write_text("https://other.example\n", "utf-8")
    assert search.main(arguments) == 0
    assert (store / "0.tsv").read_text("utf-8") == "0\tgiven\thttps://other.example\t\n"
    assert search.main([*arguments[:-1], "google"]) == 2
    assert "made otherwise (--provider file there, google here)" in capsys.readouterr().err
    assert search.main([*arguments, "--questions", "1", "--llm", "openai:x", "--batch_file", "b"]) == 2
    assert "--batch_file: a search cannot wait for a batch" in capsys.readouterr().err


def test_a_shard_searches_for_its_claims_alone(tmp_path: Path, sample: Path) -> None:
    urls, store = tmp_path / "urls.txt", tmp_path / "store"
    urls.write_text("https://all.example\n", "utf-8")
    arguments = ["--claim_file", str(sample / "claims.json"), "-o", str(store), "-p", f"file:{urls}", "-s", "2"]
    assert search.main([*arguments, "--shard", "1/5"]) == 0
    assert sorted(path.name for path in store.glob("*.tsv")) == ["4.tsv", "5.tsv"]


def test_the_scraper_reads_what_search_wrote_row_by_row(tmp_path: Path, sample: Path) -> None:
    expected = {claim_id: [*_sample_texts(sample, claim_id).items(), (AWKWARD, [])] for claim_id in CHAINED}
    url_lists = [{"claim_id": claim_id, "urls": [url for url, _ in rows]} for claim_id, rows in expected.items()]
    given, urls, store = tmp_path / "given.jsonl", tmp_path / "urls", tmp_path / "store"
    given.write_text("\n".join(map(json.dumps, url_lists)), encoding="utf-8")
    claims = ["--claim_file", str(sample / "claims.json"), "--quiet"]
    for claim_id in CHAINED:
        chosen = ["-s", str(claim_id), "-e", str(claim_id + 1)]
        assert search.main([*claims, *chosen, "-o", str(urls), "--provider", f"file:{given}"]) == 0
    with archive(sample) as address:
        web = ["--via", address, "--allow_private", "--workers", "1"]
        assert scraper.main([*claims, *web, "-i", str(urls), "-o", str(store)]) == 0
    for claim_id, rows in expected.items():
        documents = read_records(store / f"{claim_id}.json", Document)
        assert [(document.url, document.url2text) for document in documents] == rows
        assert [row.url for row in read_url_rows(urls / f"{claim_id}.tsv")] == [url for url, _ in rows]
        assert sum(bool(text) for _, text in rows) > 3


def _sample_texts(sample: Path, claim_id: int) -> dict[str, list[str]]:
    """The text of each of the claim's URLs in the committed store."""
    documents = read_records(sample / "knowledge_store" / f"{claim_id}.json", Document)
    return {document.url: document.url2text for document in documents}
