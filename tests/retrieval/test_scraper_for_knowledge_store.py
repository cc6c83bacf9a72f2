"""The scraper as users call it: the sample world over loopback, its flags, its exit codes, faults, kills."""

import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from bench.soak import soak
from src.records import Claim, Document
from src.reranking import bm25_sentences
from src.retrieval import scraper_for_knowledge_store as step
from src.retrieval.scraping.page_log import log_path, read_log
from src.retrieval.scraping.scraper import STEP
from src.runner.journal import progress_path
from src.runner.manifest import read_manifest
from src.store import encode_list, read_records
from tests.retrieval.archive import archive
from tests.retrieval.scraping.small_web import write_tsv
from tests.retrieval.web.fault_server import FaultServer
from tests.retrieval.web.faults import FAULTS
from tests.runner.killing import count_lines, finish, kill_after, start

pytestmark = pytest.mark.long

CLAIMS = range(12)


def scraped(sample: Path, store: Path, *flags: str) -> int:
    """Scrapes the sample world as the quickstart does."""
    with archive(sample) as address:
        via = ["--via", address, "--allow_private", "--claim_file", str(sample / "claims.json"), "--workers", "1"]
        return step.main(["-i", str(sample / "urls"), "-o", str(store), "--quiet", *via, *flags])


def bytes_of(store: Path) -> dict[int, bytes]:
    return {claim_id: (store / f"{claim_id}.json").read_bytes() for claim_id in CLAIMS}


def test_the_sample_world_gives_the_committed_store(tmp_path: Path, sample: Path) -> None:
    assert scraped(sample, tmp_path / "store", "--keep_pages", str(tmp_path / "pages")) == 0
    expected = bytes_of(sample / "knowledge_store")
    assert bytes_of(tmp_path / "store") == expected
    rebuilt = ["-i", str(sample / "urls"), "-o", str(tmp_path / "again"), "--from_pages", str(tmp_path / "pages")]
    claims = ["--claim_file", str(sample / "claims.json"), "--quiet"]
    assert step.main([*rebuilt, *claims]) == 0
    assert bytes_of(tmp_path / "again") == expected
    logs = [read_log(log_path(tmp_path / name / "0.json")) for name in ("store", "again")]
    assert [log.sha256 for log in logs[0]] == [log.sha256 for log in logs[1]]


def test_a_shard_scrapes_its_claims_alone(tmp_path: Path, sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["-i", str(sample / "urls"), "-o", str(tmp_path / "store"), "--from_pages", str(sample / "pages")]
    assert step.main([*flags, "--shard", "3/4"]) == 2
    assert "--shard needs --claim_file or --end here" in capsys.readouterr().err
    assert step.main([*flags, "--shard", "3/4", "-s", "4", "-e", "12", "--quiet"]) == 0
    names = {path.name for path in (tmp_path / "store").glob("*.json") if path.stem.isdecimal()}
    assert names == {"10.json", "11.json"}


def test_with_claims_a_shard_has_the_claims_of_the_next_step(tmp_path: Path) -> None:
    claims, urls, store = tmp_path / "claims.json", tmp_path / "urls", tmp_path / "store"
    numbers = [*range(10), *range(20, 40)]
    claims.write_bytes(encode_list(Claim(f"claim {number}", number) for number in numbers))
    for number in numbers:
        write_tsv(urls, number, [f"https://{number}.example/"])
    part = ["--claim_file", str(claims), "-s", "0", "-e", "40", "--quiet", "--shard"]
    scrape = ["-i", str(urls), "-o", str(store), "--from_pages", str(urls), "--workers", "1", *part]
    rank = ["-k", str(store), "-o", str(tmp_path / "ranked.json"), "--no_index", *part]
    assert step.main([*scrape, "0/2"]) == 0
    assert bm25_sentences.main([*rank, "0/2"]) == 0
    assert sorted(map(int, (path.stem for path in store.glob("*.json") if path.stem.isdecimal()))) == numbers[:20]
    assert step.main([*scrape, "1/2"]) == 0
    assert bm25_sentences.main([*rank, "1/2"]) == 0


def test_pages_are_read_on_the_cores_that_the_process_may_use() -> None:
    code = (
        "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
        "from src.retrieval.scraping.settings import PageSettings; print(PageSettings().workers)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "1\n"


def test_the_log_records_each_fetch(tmp_path: Path, sample: Path) -> None:
    assert scraped(sample, tmp_path, "-s", "6", "-e", "7") == 0
    log = read_log(log_path(tmp_path / "6.json"))
    page, gone = log[0], log[5]
    assert (page.status, page.type, page.extractor, page.charset, page.reason) == (
        200,
        "text/html",
        "trafilatura",
        "utf-8",
        "",
    )
    assert re.fullmatch(r"[0-9a-f]{64}", page.sha256)
    assert re.match(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d", page.fetched_at)
    assert page.bytes > 500
    assert page.final_url.endswith(page.url)
    assert (gone.status, gone.reason, gone.sentences) == (404, "HTTP 404", 0)
    assert not (tmp_path / "5.json").exists()


def test_the_filters_can_be_switched_off(tmp_path: Path, sample: Path) -> None:
    keep = ["--keep_fact_check", "--keep_later_pages"]
    assert scraped(sample, tmp_path, *keep) == 0
    store = {claim_id: read_records(tmp_path / f"{claim_id}.json", Document) for claim_id in (0, 9)}
    committed = {
        claim_id: read_records(sample / "knowledge_store" / f"{claim_id}.json", Document) for claim_id in (0, 9)
    }
    assert (bool(store[0][7].url2text), bool(store[9][5].url2text)) == (True, True)
    assert (committed[0][7].url2text, committed[9][5].url2text) == ([], [])


def test_one_file_with_the_published_flags(tmp_path: Path, sample: Path) -> None:
    with archive(sample) as address:
        flags = ["--tsv_input_file", str(sample / "urls" / "3.tsv"), "--json_output_dir", str(tmp_path)]
        flags += ["--overwrite_out_file", "--via", address, "--allow_private", "--workers", "1"]
        assert step.main(flags) == 0
    assert (tmp_path / "3.json").read_bytes() == (sample / "knowledge_store" / "3.json").read_bytes()


def test_without_a_claim_file_a_note_says_that_nothing_was_filtered(
    tmp_path: Path, sample: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ["-i", str(sample / "urls" / "3.tsv"), "-o", str(tmp_path), "--from_pages", str(sample / "pages")]
    assert step.main(flags) == 0
    assert capsys.readouterr().out.count("nothing was filtered") == 1


def test_an_archive_on_a_private_address_needs_a_flag(
    tmp_path: Path, sample: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with archive(sample) as address:
        flags = ["-i", str(sample / "urls" / "3.tsv"), "-o", str(tmp_path / "store"), "--via", address, "--quiet"]
        assert step.main([*flags, "--workers", "1"]) == 2
    assert "127.0.0.1 is loopback; --allow_private fetches from there" in capsys.readouterr().err
    assert not (tmp_path / "store" / "3.json").exists()


def test_a_dry_run_counts_claims_and_rows_and_writes_nothing(
    tmp_path: Path, sample: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert step.main(["-i", str(sample / "urls"), "-o", str(tmp_path / "store"), "--dry_run"]) == 0
    assert re.search(r"12 claims, 99 rows to do; \d+ different URLs on \d+ hosts in all", capsys.readouterr().out)
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize(
    ("line", "message"),
    [("0\tclaim\thttp://a.example/\n", "0.tsv, line 1: 3 columns"), ("one word\n", "0.tsv, line 1: 1 column")],
)
def test_bad_rows_are_one_line(tmp_path: Path, line: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "0.tsv").write_text(line, encoding="utf-8")
    assert step.main(["-i", str(tmp_path / "0.tsv"), "-o", str(tmp_path / "store")]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize(
    "flags",
    [
        ["--from_pages", "nowhere"],
        ["--via", "ftp://archive.example/"],
        ["--via", "archive.example/web/"],
        ["--via", "https://"],
        ["--via", "http://127.0.0.1:8765"],
        ["--max_mb", "inf"],
        ["--max_mb", "1e9"],
        ["--deadline", "nan"],
        ["--deadline", "0"],
        ["--workers", "0"],
        ["--user_agent", "two\nlines"],
        ["--keep_pages", "FILE/pages"],
        ["-o", "FILE/store"],
        ["-s", "5", "-e", "6"],
        ["--claim_file", "nowhere.json"],
        ["--exclude_urls", "nowhere.txt"],
        ["--splitter", "spacy:en_no_such_model"],
        ["--splitter", "commas"],
        ["--extractor", "nothing"],
    ],
    ids=" ".join,
)
def test_bad_flags_are_one_line_and_nothing_is_written(
    tmp_path: Path, flags: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "FILE").touch()
    write_tsv(tmp_path / "urls", 3, ["http://127.0.0.1:9/"])
    given = [str(tmp_path / flag) if flag.startswith("FILE") else flag for flag in flags]
    before = sorted(tmp_path.rglob("*"))
    try:
        code = step.main(["-i", str(tmp_path / "urls" / "3.tsv"), "-o", str(tmp_path / "store"), *given])
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 0
    assert code == 2
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith("error: ")
    assert [path for path in sorted(tmp_path.rglob("*")) if path.is_file()] == [p for p in before if p.is_file()]


def test_no_network_is_one_line_and_no_empty_pages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_tsv(tmp_path / "urls", 0, [f"http://page.example/{number}" for number in range(50)])
    flags = ["-i", str(tmp_path / "urls"), "-o", str(tmp_path / "store"), "--workers", "1", "--allow_private"]
    assert step.main([*flags, "--via", "http://127.0.0.1:9/", "--attempts", "1"]) == 2
    assert "is there a network?" in capsys.readouterr().err
    assert not list((tmp_path / "store").iterdir())


def test_an_empty_or_missing_folder_is_an_error_with_a_remedy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    for name, message in (("empty", "no <claim_id>.tsv there"), ("missing", "not found; search writes it")):
        assert step.main(["-i", str(tmp_path / name), "-o", str(tmp_path / "store"), "-s", "0", "-e", "3"]) == 2
        assert f"{name}: {message}" in capsys.readouterr().err


def test_an_interruption_is_one_line_and_the_next_start_goes_on(
    tmp_path: Path, sample: Path, project_root: Path
) -> None:
    permits = threading.Semaphore(5)
    with archive(sample, permits=permits) as address:
        flags = ["-i", str(sample / "urls"), "-o", str(tmp_path), "--via", address, "--allow_private", "--quiet"]
        flags += ["--claim_file", str(sample / "claims.json"), "--workers", "1", "--concurrency", "2"]
        process = start(STEP, flags, project_root)
        while count_lines(progress_path(tmp_path / "0.json")) < 3:
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert finish(process) == (130, "", "stopped; start it again to go on from here\n")
        assert count_lines(progress_path(tmp_path / "0.json")) >= 3
        permits.release(1000)
        assert finish(start(STEP, flags, project_root)) == (0, "", "")
    assert bytes_of(tmp_path) == bytes_of(sample / "knowledge_store")


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGKILL])
def test_pages_aside_are_gone_at_last(tmp_path: Path, sample: Path, project_root: Path, sent: signal.Signals) -> None:
    permits = threading.Semaphore(5)
    with archive(sample, permits=permits) as address:
        flags = ["-i", str(sample / "urls"), "-o", str(tmp_path), "--via", address, "--allow_private", "--quiet"]
        process = start(STEP, [*flags, "--workers", "1", "--concurrency", "2"], project_root)
        while count_lines(progress_path(tmp_path / "0.json")) < 3:
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(sent)
        code = finish(process)[0]
        assert code == (130 if sent == signal.SIGTERM else -signal.SIGKILL)
        assert len(list(tmp_path.glob(".pages-*"))) == (0 if sent == signal.SIGTERM else 1)
        permits.release(1000)
        assert step.main([*flags, "--workers", "1", "-e", "1"]) == 0
    assert not list(tmp_path.glob(".pages-*"))


def test_few_open_files_are_enough(tmp_path: Path, project_root: Path) -> None:
    with FaultServer("0.0.0.0") as server:
        hosts = [f"127.0.{a}.{b}" for a in range(4) for b in range(1, 100)]
        write_tsv(tmp_path / "urls", 0, [server.url("404", host) for host in hosts])
        flags = ["-i", str(tmp_path / "urls"), "-o", str(tmp_path / "store"), "--allow_private", "--workers", "1"]
        limited = f'ulimit -n 128; exec {sys.executable} -m {STEP} "$@"'
        command = ["bash", "-c", limited, "bash", *flags]
        done = subprocess.run(command, cwd=project_root, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(read_log(log_path(tmp_path / "store" / "0.json"))) == len(hosts)


def test_killed_five_times_at_random_and_finished(tmp_path: Path, sample: Path, project_root: Path) -> None:
    store, dice = tmp_path / "store", random.Random(7)
    with archive(sample, seconds=0.02) as address:
        flags = ["-i", str(sample / "urls"), "-o", str(store), "--via", address, "--allow_private", "--quiet"]
        flags += ["--claim_file", str(sample / "claims.json"), "--workers", "1", "--concurrency", "2"]
        killed = 0
        for claim_id in sorted(dice.sample(CLAIMS, 5)):
            process = start(STEP, flags, project_root)
            killed += kill_after(process, progress_path(store / f"{claim_id}.json"), dice.randint(2, 6))
        assert killed == 5
        assert finish(start(STEP, flags, project_root)) == (0, "", "")
    assert bytes_of(store) == bytes_of(sample / "knowledge_store")
    assert sorted(path.name for path in store.iterdir()) == sorted(
        f"{claim_id}.{ending}" for claim_id in CLAIMS for ending in ("json", "log.jsonl", "manifest.json")
    )
    manifest = read_manifest(store / "0.json")
    assert manifest is not None
    shutil.rmtree(store)


GOOD = {"good", "203", "gzip", "x-gzip", "deflate", "raw-deflate", "br", "br-in-gzip", "long-body", "until-closed"}
HASTY = ["--connect_timeout", "5", "--read_timeout", "3", "--deadline", "8", "--attempts", "2", "--max_mb", "0.2"]


def hastily_scraped(urls: Path, store: Path, *flags: str) -> int:
    return step.main(["-i", str(urls), "-o", str(store), "--quiet", "--workers", "1", *HASTY, *flags])


def test_every_fault_of_a_server(tmp_path: Path) -> None:
    with FaultServer() as server:
        # a server that asks for an hour of peace gets it, so it must be another one
        urls = [server.url(name, "localhost" if name == "429-in-an-hour" else "") for name in FAULTS]
        write_tsv(tmp_path / "urls", 0, urls)
        assert hastily_scraped(tmp_path / "urls", tmp_path / "store", "--allow_private", "--per_host", "64") == 0
    documents = read_records(tmp_path / "store" / "0.json", Document)
    log = read_log(log_path(tmp_path / "store" / "0.json"))
    assert [document.url for document in documents] == urls == [line.url for line in log]
    for name, document, line in zip(FAULTS, documents, log, strict=True):
        assert bool(document.url2text) == (line.reason == "") == (name in GOOD), name


def test_private_addresses_are_never_fetched(tmp_path: Path) -> None:
    with FaultServer() as server:
        hosts = ["127.0.0.1", "localhost", "0.0.0.0", "[::1]", "2130706433", "0x7f.1", "169.254.169.254", "10.0.0.1"]
        write_tsv(tmp_path / "urls", 0, [server.url("good", host) for host in hosts])
        assert hastily_scraped(tmp_path / "urls", tmp_path / "store") == 0
        assert not server.requests
    log = read_log(log_path(tmp_path / "store" / "0.json"))
    assert {line.reason.partition(":")[0] for line in log} == {"address refused"}


def test_memory_and_open_files_stay_flat(tmp_path: Path, sample: Path) -> None:
    result = soak(tmp_path, sorted(sample.glob("pages/*/*.html")), claims=10, urls=50)
    first, second = result.first_half, result.second_half
    assert second.files <= first.files + 40
    assert second.scraper < first.scraper + 20e6
    assert second.scraper + second.workers < 1e9
