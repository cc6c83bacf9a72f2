"""The search step started again: what is left as it is, what is asked once more, what failed, who else is at work."""

import os
from pathlib import Path

import msgspec
import pytest
from werkzeug import Response

from src.file_lock import lock
from src.retrieval.url_rows import read_url_rows
from src.runner.output import Failure
from tests.retrieval.providers.speaking import Engine, google, google_error, json_response
from tests.retrieval.searching.runs import CLAIMS, URLS, manifest, out, run, write_claims


def test_finished_claims_are_not_searched_again(
    claim_file: Path, engine: Engine, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(claim_file, engine, "-e", "2") == 0
    requests_before = len(engine.asked)
    before = out(claim_file, "0.tsv").stat().st_mtime_ns
    assert run(claim_file, engine) == 0
    assert {request.args["q"] for request in engine.asked[requests_before:]} == {
        "Bo Bread doubled", "Bread doubled", "Bread doubled."
    }  # fmt: skip
    assert out(claim_file, "0.tsv").stat().st_mtime_ns == before
    assert "going on after 2 of 3 claims" in capsys.readouterr().out
    requests_before = len(engine.asked)
    assert run(claim_file, engine) == 0
    assert len(engine.asked) == requests_before
    assert "3 claims are already there" in capsys.readouterr().out
    assert run(claim_file, engine, "--overwrite") == 0
    assert len(engine.asked) > requests_before


def test_a_changed_claim_is_searched_again_and_the_others_are_not(claim_file: Path, engine: Engine) -> None:
    assert run(claim_file, engine, "--queries", "claim") == 0
    write_claims(claim_file, [CLAIMS[0], {**CLAIMS[1], "claim": "Water is wet."}, CLAIMS[2]])
    assert run(claim_file, engine, "--queries", "claim") == 0
    assert [request.args["q"] for request in engine.asked[3:]] == ["Water wet"]


def test_other_arguments_do_not_replace_what_is_there(
    claim_file: Path, engine: Engine, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(claim_file, engine) == 0
    assert run(claim_file, engine, "--pages", "1") == 2
    assert "is there, made otherwise (--pages 3 there, 1 here); --overwrite replaces it" in capsys.readouterr().err
    published = out(claim_file, "1.tsv")
    out(claim_file, "1.tsv.manifest.json").unlink()
    assert run(claim_file, engine) == 2
    assert f"{published}: is there and has no manifest" in capsys.readouterr().err


def test_a_used_up_quota_stops_the_run_and_the_next_goes_on(
    claim_file: Path, engine: Engine, capsys: pytest.CaptureFixture[str]
) -> None:
    spent = google_error(429, "Quota exceeded for 'Queries per day'", "rateLimitExceeded", "RESOURCE_EXHAUSTED")
    assert run(claim_file, engine, "-e", "1", "--queries", "claim") == 0
    engine.first = [json_response(spent, 429)]
    assert run(claim_file, engine, "--queries", "claim") == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(
        "error: google: HTTP 429: Quota exceeded for 'Queries per day' (the quota is used up); start"
    )
    assert {path.name for path in out(claim_file, "").glob("*.tsv*")} == {"0.tsv", "0.tsv.manifest.json"}
    assert run(claim_file, engine, "--queries", "claim") == 0
    assert [request.args["q"] for request in engine.asked] == ["Trams free", "Water dry", "Water dry", "Bread doubled"]


def test_a_query_that_fails_takes_no_other_down(
    claim_file: Path, engine: Engine, capsys: pytest.CaptureFixture[str]
) -> None:
    engine.first = [json_response(google([URLS[0]], False)), Response("<p>no</p>", 400)]
    assert run(claim_file, engine) == 1
    assert "search: 1 of 3 claims failed; start again to try them again; the first, claim 0: google: HTTP 400: no" in (
        capsys.readouterr().err
    )
    assert [row.type for row in read_url_rows(out(claim_file, "0.tsv"))] == ["claim+author", "claim-noformat"]
    (failure,) = [
        msgspec.json.decode(line, type=Failure)
        for line in out(claim_file, "0.tsv.failures.jsonl").read_bytes().splitlines()
    ]
    assert (failure.claim_id, failure.step, failure.error) == (0, "src.retrieval.search", "ClaimError")
    assert "secret" not in failure.traceback
    assert (manifest(claim_file, 0).failures, manifest(claim_file, 1).failures) == (1, 0)
    requests_before = len(engine.asked)
    assert run(claim_file, engine) == 0
    assert {request.args["q"] for request in engine.asked[requests_before:]} == {
        "Ann Trams free",
        "Trams free",
        "Trams are free.",
    }
    assert [row.type for row in read_url_rows(out(claim_file, "0.tsv"))] == ["claim+author", "claim+author"]
    assert not out(claim_file, "0.tsv.failures.jsonl").exists()


def test_an_empty_claim_fails_alone(claim_file: Path, engine: Engine, capsys: pytest.CaptureFixture[str]) -> None:
    write_claims(claim_file, [CLAIMS[0], {"claim": " "}])
    assert run(claim_file, engine) == 1
    assert "claim 1: the claim is empty" in capsys.readouterr().err
    assert out(claim_file, "1.tsv").read_bytes() == b""


def test_a_fault_in_one_claim_fails_that_claim(
    claim_file: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("src.retrieval.claim_search.claim_queries", lambda *_: 1 / 0)
    assert run(claim_file, engine) == 1
    assert "ZeroDivisionError" in out(claim_file, "2.tsv.failures.jsonl").read_text("utf-8")


def test_a_missing_key_is_one_line(
    claim_file: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("GOOGLE_CSE_ID")
    assert run(claim_file, engine) == 2
    assert capsys.readouterr().err == (
        "error: GOOGLE_CSE_ID is not set; the provider google needs it: export GOOGLE_CSE_ID=...\n"
    )
    assert not out(claim_file, "").exists()


def test_a_refused_first_request_leaves_no_file(
    claim_file: Path, engine: Engine, capsys: pytest.CaptureFixture[str]
) -> None:
    engine.first = [Response("<p>no</p>", 400)]
    assert run(claim_file, engine) == 2
    assert capsys.readouterr().err.startswith("error: google: HTTP 400: no (nothing was answered before")
    assert len(engine.asked) == 1
    assert not out(claim_file, "").exists()


def test_two_runs_do_not_search_for_one_claim(
    claim_file: Path, engine: Engine, capsys: pytest.CaptureFixture[str]
) -> None:
    path = out(claim_file, "0.tsv.progress")
    path.parent.mkdir()
    descriptor = lock(path)
    try:
        assert run(claim_file, engine) == 2
    finally:
        os.close(descriptor)
    assert "another run is writing 0.tsv" in capsys.readouterr().err
    assert engine.asked == []
