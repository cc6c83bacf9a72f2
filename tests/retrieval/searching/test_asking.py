"""The search step from claims to URL files, against a loopback server: what is asked, and what is written."""

import json
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from src.records import UrlRow
from src.retrieval.search import main
from src.retrieval.url_rows import read_url_rows
from tests.retrieval.providers.speaking import Engine
from tests.retrieval.searching.runs import URLS, lines, manifest, out, run


def test_one_url_file_a_claim(claim_file: Path, engine: Engine, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(claim_file, engine) == 0
    query = "Ann Trams free"
    assert read_url_rows(out(claim_file, "0.tsv")) == [
        UrlRow("0", "claim+author", "https://a.example/1", query),
        UrlRow("0", "claim+author", "https://b.example/2", query),
    ]
    assert lines(out(claim_file, "0.dropped.jsonl")) == [
        {"url": URLS[1], "reason": "the claim's own fact-checking article", "type": "claim+author", "query": query},
        {"url": URLS[3], "reason": "no http or https URL", "type": "claim+author", "query": query},
    ]
    assert [row.url for row in read_url_rows(out(claim_file, "1.tsv"))] == [*URLS[:3]]
    assert manifest(claim_file, 0).counts == {
        "queries": 3, "found": 12, "urls": 2, "dropped": 2,
        "questions": 0, "unusable_questions": 0, "prompt_tokens": 0, "new_tokens": 0,
    }  # fmt: skip
    printed = capsys.readouterr()
    assert "\nnote: 1 of 3 claims have no date: no page of theirs is too late\n" in printed.out
    assert f"search: 3 claims, 8 URLs, 4 refused -> {claim_file.parent / 'store'}\n" in printed.out
    assert printed.err == ""
    assert manifest(claim_file, 0).notes == []
    assert manifest(claim_file, 1).notes[1] == "the claim has no date: no page is too late"
    assert not manifest(claim_file, 0).deterministic
    left = {path.name for path in out(claim_file, "").iterdir()}
    assert {name for name in left if name.startswith("1.")} == {"1.tsv", "1.tsv.manifest.json", "1.dropped.jsonl"}


def test_last_day_and_country_are_the_claims(claim_file: Path, engine: Engine) -> None:
    assert run(claim_file, engine, "--queries", "claim", "--pages", "1") == 0
    requests = [request.args for request in engine.asked]
    assert [page["q"] for page in requests] == ["Trams free", "Water dry", "Bread doubled"]
    assert [page.get("sort") for page in requests] == ["date:r:19000101:20201031", None, "date:r:19000101:20200201"]
    assert [page.get("gl") for page in requests] == ["IN", None, "GB"]


def test_flags_set_the_country_and_keep_later_pages(claim_file: Path, engine: Engine) -> None:
    flags = ["--queries", "claim", "--country", "US", "--keep_later_pages", "--keep_fact_check"]
    assert run(claim_file, engine, *flags) == 0
    assert {request.args["gl"] for request in engine.asked} == {"US"}
    assert not any("sort" in request.args for request in engine.asked)
    assert [row.url for row in read_url_rows(out(claim_file, "0.tsv"))] == URLS[:3]


def test_a_page_dated_after_the_claim_is_refused(claim_file: Path, httpserver: HTTPServer) -> None:
    engine = Engine("serper", httpserver, ["https://a.example/1"])  # all its pages are of 30 October 2020
    provider = f"serper@{engine.server.url_for('')}"
    arguments = ["--claim_file", str(claim_file), "-o", str(claim_file.parent / "store"), "--provider", provider]
    assert main([*arguments, "--pages", "1"]) == 0
    assert [len(read_url_rows(out(claim_file, f"{claim_id}.tsv"))) for claim_id in range(3)] == [1, 1, 0]
    (dropped,) = lines(out(claim_file, "2.dropped.jsonl"))
    assert dropped["reason"] == "dated 2020-10-30, after the claim (2020-02-01)"


def test_a_dry_run_counts_queries_and_sends_no_request(
    claim_file: Path, engine: Engine, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(claim_file, engine, "--dry_run", "--questions", "2", "--llm", "scripted:none") == 2
    script = claim_file.parent / "script.jsonl"
    script.write_text("", encoding="utf-8")
    assert run(claim_file, engine, "--dry_run", "--questions", "2", "--llm", f"scripted:{script}") == 0
    printed = capsys.readouterr().out
    assert "search: 3 claims to search for, 14 queries, at most 42 requests to google@http" in printed
    assert engine.asked == []
    assert not out(claim_file, "").exists()


def test_a_dry_run_names_missing_keys(
    claim_file: Path, engine: Engine, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GOOGLE_API_KEY")
    monkeypatch.delenv("GOOGLE_CSE_ID")
    assert run(claim_file, engine, "--dry_run") == 0
    printed = capsys.readouterr().out
    assert printed.startswith("note: GOOGLE_API_KEY and GOOGLE_CSE_ID are not set; ")
    assert "3 claims to search for, 8 queries" in printed
    assert run(claim_file, engine) == 2
    assert capsys.readouterr().err.startswith("error: GOOGLE_API_KEY and GOOGLE_CSE_ID are not set; ")
    assert engine.asked == []
    assert not out(claim_file, "").exists()


def test_questions_of_a_model_are_queries_too(
    claim_file: Path, engine: Engine, capsys: pytest.CaptureFixture[str]
) -> None:
    script = claim_file.parent / "script.jsonl"
    answers = ["1. Are trams free?\n2. Who pays for trams?\nThat is all.", "Is water dry?"]
    script_lines = [json.dumps({"role": "search_questions", "output": answer}) for answer in answers]
    script.write_text("\n".join(script_lines), encoding="utf-8")
    flags = ["--questions", "2", "--llm", f"scripted:{script}", "--queries", "--pages", "1"]
    assert run(claim_file, engine, *flags) == 1  # the script has nothing for the third claim
    assert "claim 2: scripted" in capsys.readouterr().err
    assert [request.args["q"] for request in engine.asked] == [
        "Are trams free?",
        "Who pays for trams?",
        "Is water dry?",
    ]
    assert {row.type for row in read_url_rows(out(claim_file, "0.tsv"))} == {"question"}
    made = manifest(claim_file, 0)
    assert (made.counts["questions"], made.counts["unusable_questions"]) == (2, 1)
    assert made.model["engine"] == "scripted"
    assert run(claim_file, engine, "--questions", "2") == 2
    assert "--questions needs --llm" in capsys.readouterr().err


def test_bad_input_is_found_before_any_query(
    claim_file: Path, engine: Engine, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(claim_file, engine, "-s", "3") == 2
    assert run(claim_file.parent / "nowhere.json", engine) == 2
    assert run(claim_file, engine, "--exclude_urls", "nowhere.txt") == 2
    assert main(["--claim_file", str(claim_file), "-p", "altavista"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 4
    assert engine.asked == []
