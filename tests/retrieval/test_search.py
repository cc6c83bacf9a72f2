"""The search step from claims to URL files, against a loopback server."""

import json
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response

from src.records import UrlRow
from src.retrieval.providers import server
from src.retrieval.search import main
from src.retrieval.url_rows import read_url_rows
from src.runner.journal import lock
from src.runner.manifest import Manifest, read_manifest
from src.runner.output import Failure
from tests.retrieval.providers.speaking import VARIABLES, Engine, google_error, json_response

ARTICLE = "https://web.archive.org/web/20201130144023/https://checker.example/no-such-letter/"
CLAIMS: list[dict[str, Any]] = [
    {"claim": "Trams are free.", "speaker": "Ann", "claim_date": "31-10-2020", "location_ISO_code": "IN",
     "fact_checking_article": ARTICLE},
    {"claim": "Water is dry.", "speaker": None, "claim_date": None, "fact_checking_article": None},
    {"claim": "Bread doubled.", "speaker": "Bo", "claim_date": "1-2-2020", "location_ISO_code": "GB",
     "fact_checking_article": "https://checker.example/bread"},
]  # fmt: skip
URLS = ["https://a.example/1", "http://www.checker.example/no-such-letter", "https://b.example/2", "ftp://c.example/3"]


@pytest.fixture(autouse=True)
def _ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "FIRST_PAUSE", 0.001)
    monkeypatch.setenv("NO_PROXY", "*")
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def claim_file(tmp_path: Path) -> Path:
    return _write_claims(tmp_path / "claims.json", CLAIMS)


def _write_claims(path: Path, claims: list[dict[str, Any]]) -> Path:
    path.write_text(json.dumps(claims), encoding="utf-8")
    return path


@pytest.fixture
def engine(httpserver: HTTPServer) -> Engine:
    return Engine("google", httpserver, URLS)


def _run(claim_file: Path, engine: Engine, *more: str) -> int:
    provider = f"google@{engine.server.url_for('')}"
    out = str(claim_file.parent / "store")
    return main(["--claim_file", str(claim_file), "-o", out, "--provider", provider, "--timeout", "5", *more])


def _out(claim_file: Path, name: str) -> Path:
    return claim_file.parent / "store" / name


def _manifest(claim_file: Path, claim_id: int) -> Manifest:
    manifest = read_manifest(_out(claim_file, f"{claim_id}.tsv"))
    assert manifest is not None
    return manifest


def _lines(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_one_url_file_a_claim(claim_file: Path, engine: Engine, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(claim_file, engine) == 0
    query = "Ann Trams free"
    assert read_url_rows(_out(claim_file, "0.tsv")) == [
        UrlRow("0", "claim+author", "https://a.example/1", query),
        UrlRow("0", "claim+author", "https://b.example/2", query),
    ]
    assert _lines(_out(claim_file, "0.dropped.jsonl")) == [
        {"url": URLS[1], "reason": "the claim's own fact-checking article", "type": "claim+author", "query": query},
        {"url": URLS[3], "reason": "no http or https URL", "type": "claim+author", "query": query},
    ]
    assert [row.url for row in read_url_rows(_out(claim_file, "1.tsv"))] == [*URLS[:3]]
    assert _manifest(claim_file, 0).counts == {
        "queries": 3, "found": 12, "urls": 2, "dropped": 2,
        "questions": 0, "unusable_questions": 0, "prompt_tokens": 0, "new_tokens": 0,
    }  # fmt: skip
    printed = capsys.readouterr()
    assert "search: note: 1 of 3 claims have no date" in printed.out
    assert f"search: 3 claims, 8 URLs, 4 refused -> {claim_file.parent / 'store'}\n" in printed.out
    assert printed.err == ""
    left = {path.name for path in _out(claim_file, "").iterdir()}
    assert {name for name in left if name.startswith("1.")} == {"1.tsv", "1.tsv.manifest.json", "1.dropped.jsonl"}


def test_last_day_and_country_are_the_claims(claim_file: Path, engine: Engine) -> None:
    assert _run(claim_file, engine, "--queries", "claim", "--pages", "1") == 0
    asked = [request.args for request in engine.asked]
    assert [page["q"] for page in asked] == ["Trams free", "Water dry", "Bread doubled"]
    assert [page.get("sort") for page in asked] == ["date:r:19000101:20201031", None, "date:r:19000101:20200201"]
    assert [page.get("gl") for page in asked] == ["IN", None, "GB"]


def test_country_and_later_pages_as_told(claim_file: Path, engine: Engine) -> None:
    flags = ["--queries", "claim", "--country", "US", "--keep_later_pages", "--keep_fact_check"]
    assert _run(claim_file, engine, *flags) == 0
    assert {request.args["gl"] for request in engine.asked} == {"US"}
    assert not any("sort" in request.args for request in engine.asked)
    assert [row.url for row in read_url_rows(_out(claim_file, "0.tsv"))] == URLS[:3]


def test_a_page_dated_after_the_claim_is_refused(claim_file: Path, httpserver: HTTPServer) -> None:
    engine = Engine("serper", httpserver, ["https://a.example/1"])  # all its pages are of 30 October 2020
    provider = f"serper@{engine.server.url_for('')}"
    arguments = ["--claim_file", str(claim_file), "-o", str(claim_file.parent / "store"), "--provider", provider]
    assert main([*arguments, "--pages", "1"]) == 0
    assert [len(read_url_rows(_out(claim_file, f"{claim_id}.tsv"))) for claim_id in range(3)] == [1, 1, 0]
    (dropped,) = _lines(_out(claim_file, "2.dropped.jsonl"))
    assert dropped["reason"] == "dated 2020-10-30, after the claim (2020-02-01)"


def test_excluded_urls_are_refused(claim_file: Path, engine: Engine) -> None:
    bad = claim_file.parent / "bad.txt"
    bad.write_text("b.example\n", encoding="utf-8")
    assert _run(claim_file, engine, "--exclude_urls", str(bad)) == 0
    assert [row.url for row in read_url_rows(_out(claim_file, "0.tsv"))] == ["https://a.example/1"]
    assert "excluded by bad.txt, line 1" in _out(claim_file, "0.dropped.jsonl").read_text("utf-8")


def test_what_is_done_is_not_asked_again(claim_file: Path, engine: Engine, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(claim_file, engine, "-e", "2") == 0
    asked = len(engine.asked)
    before = _out(claim_file, "0.tsv").stat().st_mtime_ns
    assert _run(claim_file, engine) == 0
    assert {request.args["q"] for request in engine.asked[asked:]} == {
        "Bo Bread doubled", "Bread doubled", "Bread doubled."
    }  # fmt: skip
    assert _out(claim_file, "0.tsv").stat().st_mtime_ns == before
    assert "going on after 2 of 3 claims" in capsys.readouterr().out
    asked = len(engine.asked)
    assert _run(claim_file, engine) == 0
    assert len(engine.asked) == asked
    assert "3 claims are already there" in capsys.readouterr().out
    assert _run(claim_file, engine, "--overwrite") == 0
    assert len(engine.asked) > asked


def test_a_changed_claim_is_searched_again_and_the_others_are_not(claim_file: Path, engine: Engine) -> None:
    assert _run(claim_file, engine, "--queries", "claim") == 0
    _write_claims(claim_file, [CLAIMS[0], {**CLAIMS[1], "claim": "Water is wet."}, CLAIMS[2]])
    assert _run(claim_file, engine, "--queries", "claim") == 0
    assert [request.args["q"] for request in engine.asked[3:]] == ["Water wet"]


def test_other_arguments_do_not_replace_what_is_there(
    claim_file: Path, engine: Engine, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(claim_file, engine) == 0
    assert _run(claim_file, engine, "--pages", "1") == 2
    assert "is there, made otherwise (--pages 3 there, 1 here); --overwrite replaces it" in capsys.readouterr().err
    published = _out(claim_file, "1.tsv")
    _out(claim_file, "1.tsv.manifest.json").unlink()
    assert _run(claim_file, engine) == 2
    assert f"{published}: is there and has no manifest" in capsys.readouterr().err


def test_a_used_up_quota_stops_the_run_and_the_next_goes_on(
    claim_file: Path, engine: Engine, capsys: pytest.CaptureFixture[str]
) -> None:
    spent = google_error(429, "Quota exceeded for 'Queries per day'", "rateLimitExceeded", "RESOURCE_EXHAUSTED")
    assert _run(claim_file, engine, "-e", "1", "--queries", "claim") == 0
    engine.first = [json_response(spent, 429)]
    assert _run(claim_file, engine, "--queries", "claim") == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(
        "error: google: HTTP 429: Quota exceeded for 'Queries per day' (the quota is used up); start"
    )
    assert {path.name for path in _out(claim_file, "").glob("*.tsv*")} == {"0.tsv", "0.tsv.manifest.json"}
    assert _run(claim_file, engine, "--queries", "claim") == 0
    assert [request.args["q"] for request in engine.asked] == ["Trams free", "Water dry", "Water dry", "Bread doubled"]


def test_a_query_that_fails_takes_no_other_down(
    claim_file: Path, engine: Engine, capsys: pytest.CaptureFixture[str]
) -> None:
    engine.first = [Response("<p>no</p>", 400)]
    assert _run(claim_file, engine) == 1
    assert "search: 1 of 3 claims failed; start again to try them again; the first, claim 0: google: HTTP 400: no" in (
        capsys.readouterr().err
    )
    assert [row.type for row in read_url_rows(_out(claim_file, "0.tsv"))] == ["claim", "claim"]
    (failure,) = [
        msgspec.json.decode(line, type=Failure)
        for line in _out(claim_file, "0.tsv.failures.jsonl").read_bytes().splitlines()
    ]
    assert (failure.claim_id, failure.step, failure.error) == (0, "src.retrieval.search", "ClaimError")
    assert "secret" not in failure.traceback
    assert (_manifest(claim_file, 0).failures, _manifest(claim_file, 1).failures) == (1, 0)
    asked = len(engine.asked)
    assert _run(claim_file, engine) == 0
    assert {request.args["q"] for request in engine.asked[asked:]} == {
        "Ann Trams free",
        "Trams free",
        "Trams are free.",
    }
    assert [row.type for row in read_url_rows(_out(claim_file, "0.tsv"))] == ["claim+author", "claim+author"]
    assert not _out(claim_file, "0.tsv.failures.jsonl").exists()


def test_an_empty_claim_fails_alone(claim_file: Path, engine: Engine, capsys: pytest.CaptureFixture[str]) -> None:
    _write_claims(claim_file, [CLAIMS[0], {"claim": " "}])
    assert _run(claim_file, engine) == 1
    assert "claim 1: the claim is empty" in capsys.readouterr().err
    assert _out(claim_file, "1.tsv").read_bytes() == b""


def test_a_fault_in_one_claim_fails_that_claim(
    claim_file: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("src.retrieval.searching.claim_search.claim_queries", lambda *_: 1 / 0)
    assert _run(claim_file, engine) == 1
    assert "ZeroDivisionError" in _out(claim_file, "2.tsv.failures.jsonl").read_text("utf-8")


def test_a_missing_key_is_one_line(
    claim_file: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("GOOGLE_CSE_ID")
    assert _run(claim_file, engine) == 2
    assert capsys.readouterr().err == (
        "error: GOOGLE_CSE_ID is not set; the provider google needs it: export GOOGLE_CSE_ID=...\n"
    )
    assert not list(_out(claim_file, "").iterdir())


def test_two_runs_do_not_search_for_one_claim(
    claim_file: Path, engine: Engine, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _out(claim_file, "0.tsv.progress")
    path.parent.mkdir()
    descriptor = lock(path)
    try:
        assert _run(claim_file, engine) == 2
    finally:
        os.close(descriptor)
    assert "another run is writing 0.tsv" in capsys.readouterr().err
    assert engine.asked == []


def test_a_dry_run_counts_and_asks_nobody(claim_file: Path, engine: Engine, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(claim_file, engine, "--dry_run", "--questions", "2", "--llm", "scripted:none") == 2
    script = claim_file.parent / "script.jsonl"
    script.write_text("", encoding="utf-8")
    assert _run(claim_file, engine, "--dry_run", "--questions", "2", "--llm", f"scripted:{script}") == 0
    out = capsys.readouterr().out
    assert "search: 3 claims to search for, 14 queries, at most 42 requests to google@http" in out
    assert engine.asked == []
    assert not _out(claim_file, "").exists()


def test_questions_of_a_model_are_asked_too(
    claim_file: Path, engine: Engine, capsys: pytest.CaptureFixture[str]
) -> None:
    script = claim_file.parent / "script.jsonl"
    answers = ["1. Are trams free?\n2. Who pays for trams?\nThat is all.", "Is water dry?"]
    lines = [json.dumps({"role": "search_questions", "output": answer}) for answer in answers]
    script.write_text("\n".join(lines), encoding="utf-8")
    flags = ["--questions", "2", "--llm", f"scripted:{script}", "--queries", "--pages", "1"]
    assert _run(claim_file, engine, *flags) == 1  # the script has nothing for the third claim
    assert "claim 2: scripted" in capsys.readouterr().err
    assert [request.args["q"] for request in engine.asked] == [
        "Are trams free?",
        "Who pays for trams?",
        "Is water dry?",
    ]
    assert {row.type for row in read_url_rows(_out(claim_file, "0.tsv"))} == {"question"}
    manifest = _manifest(claim_file, 0)
    assert (manifest.counts["questions"], manifest.counts["unusable_questions"]) == (2, 1)
    assert manifest.model["engine"] == "scripted"
    assert _run(claim_file, engine, "--questions", "2") == 2
    assert "--questions needs --llm" in capsys.readouterr().err


def test_urls_from_a_file(claim_file: Path) -> None:
    urls = claim_file.parent / "urls.txt"
    urls.write_text("https://all.example\n2\thttps://two.example\n0\thttps://checker.example/no-such-letter\n", "utf-8")
    arguments = ["--claim_file", str(claim_file), "-o", str(claim_file.parent / "store"), "-p", f"file:{urls}"]
    assert main(arguments) == 0
    assert _out(claim_file, "0.tsv").read_text("utf-8") == "0\tgiven\thttps://all.example\t\n"
    assert [row.url for row in read_url_rows(_out(claim_file, "2.tsv"))] == [
        "https://two.example",
        "https://all.example",
    ]
    urls.write_text("https://other.example\n", "utf-8")
    assert main(arguments) == 0
    assert _out(claim_file, "0.tsv").read_text("utf-8") == "0\tgiven\thttps://other.example\t\n"


def test_bad_input_is_found_before_any_query(
    claim_file: Path, engine: Engine, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(claim_file, engine, "-s", "3") == 2
    assert _run(claim_file.parent / "nowhere.json", engine) == 2
    assert _run(claim_file, engine, "--exclude_urls", "nowhere.txt") == 2
    assert main(["--claim_file", str(claim_file), "-p", "altavista"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 4
    assert engine.asked == []
