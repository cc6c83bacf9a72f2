"""The scraper on a web in memory: every row once, in its place, whatever happens on the way."""

import asyncio
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from src.errors import InputError, NetworkError, OutputError
from src.pipeline.collect import collect_pages
from src.records import Document, UrlRow
from src.retrieval.leakage import Leakage, read_leakage
from src.retrieval.scraping.claim_output import OpenClaims
from src.retrieval.scraping.frontier import Task
from src.retrieval.scraping.page_log import PageLog, log_path
from src.retrieval.scraping.scraper import Scraper
from src.retrieval.scraping.settings import NetworkSettings, PageSettings
from src.retrieval.url_rows import read_url_rows
from src.retrieval.web.download import Download
from src.runner.fingerprint import Fingerprint
from src.runner.manifest import read_manifest
from src.runner.output import failures_path
from src.store import encode_lines, read_records
from tests.retrieval.scraping.small_web import SmallWeb, arguments, scrape, scrape_in_memory, texts, write_tsv
from tests.retrieval.web.fault_server import FaultServer


@pytest.fixture
def urls(tmp_path: Path) -> Path:
    return tmp_path / "urls"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


def web(tmp_path: Path, **pages: str | Exception) -> SmallWeb:
    """`a__b="text"` is the page http://a.example/b."""
    texts = {f"http://{name.split('__')[0]}.example/{name.split('__')[1]}": text for name, text in pages.items()}
    return SmallWeb(texts, tmp_path / "scratch")


def log_of(store: Path, claim_id: int) -> list[PageLog]:
    return read_records(log_path(store / f"{claim_id}.json"), PageLog)


def test_line_k_belongs_to_row_k(tmp_path: Path, urls: Path, store: Path) -> None:
    write_tsv(urls, 0, ["http://a.example/1", "http://a.example/gone", "http://b.example/1"])
    scrape(arguments(urls, store), web(tmp_path, a__1="first\nsecond", b__1="third"))
    lines = (store / "0.json").read_text(encoding="utf-8").splitlines()
    assert json.loads(lines[0]) == {
        "claim_id": "0",
        "type": "claim",
        "query": "some words",
        "url": "http://a.example/1",
        "url2text": ["first", "second"],
    }
    assert texts(store, 0) == [["first", "second"], [], ["third"]]
    assert [(log.row, log.reason, log.sentences) for log in log_of(store, 0)] == [
        (0, "", 2),
        (1, "HTTP 404", 0),
        (2, "", 1),
    ]


def test_a_url_of_many_rows_and_claims_is_fetched_once(tmp_path: Path, urls: Path, store: Path) -> None:
    write_tsv(urls, 0, ["http://a.example/1", "http://a.example/2", "http://a.example/1"])
    write_tsv(urls, 7, ["http://b.example/1", "http://a.example/1"])
    small = web(tmp_path, a__1="shared", a__2="own", b__1="other")
    scrape(arguments(urls, store), small)
    assert texts(store, 0) == [["shared"], ["own"], ["shared"]]
    assert texts(store, 7) == [["other"], ["shared"]]
    assert set(small.fetched.values()) == {1}


def test_overwrite_fetches_again(tmp_path: Path, urls: Path, store: Path) -> None:
    write_tsv(urls, 0, ["http://a.example/1"])
    scrape(arguments(urls, store), web(tmp_path, a__1="text"))
    scrape(arguments(urls, store, "--overwrite_out_file"), web(tmp_path, a__1="changed"))
    assert texts(store, 0) == [["changed"]]


def test_what_another_day_may_bring_is_tried_again_on_request(tmp_path: Path, urls: Path, store: Path) -> None:
    write_tsv(urls, 0, ["http://dead.example/1", "http://a.example/gone", "http://a.example/1"])
    scrape(arguments(urls, store), web(tmp_path, a__1="text"))
    small = web(tmp_path, a__1="changed")
    scrape(arguments(urls, store), small)
    assert not small.fetched
    scrape(arguments(urls, store, "--retry_failed"), small)
    assert list(small.fetched) == ["http://dead.example/1"]
    assert texts(store, 0) == [[], [], ["text"]]


def test_a_store_that_the_published_scraper_began_is_gone_on_with(tmp_path: Path, urls: Path, store: Path) -> None:
    write_tsv(urls, 0, ["http://a.example/1", "http://a.example/2", "http://a.example/3"])
    scrape(arguments(urls, tmp_path / "whole"), web(tmp_path, a__1="1", a__2="2", a__3="3"))
    lines = (tmp_path / "whole" / "0.json").read_bytes().splitlines(keepends=True)
    store.mkdir()
    (store / "0.json").write_bytes(b"".join(lines[:2]))
    small = web(tmp_path, a__1="1", a__2="2", a__3="3")
    scrape(arguments(urls, store), small)
    assert list(small.fetched) == ["http://a.example/3"]
    assert (store / "0.json").read_bytes() == b"".join(lines)


def test_a_whole_store_of_the_published_scraper_is_left_alone(tmp_path: Path, urls: Path, store: Path) -> None:
    write_tsv(urls, 0, ["http://a.example/1"])
    scrape(arguments(urls, store), web(tmp_path, a__1="1"))
    for beside in (store / "0.manifest.json", log_path(store / "0.json")):
        beside.unlink()
    small = web(tmp_path, a__1="2")
    scrape(arguments(urls, store), small)
    assert not small.fetched


def test_a_store_of_other_urls_is_not_touched(tmp_path: Path, urls: Path, store: Path) -> None:
    write_tsv(urls, 0, ["http://a.example/1"])
    scrape(arguments(urls, store), web(tmp_path, a__1="1"))
    (store / "0.manifest.json").unlink()
    write_tsv(urls, 0, ["http://a.example/other"])
    with pytest.raises(
        InputError, match=r"line 1, field url: http://a\.example/1: the TSV has http://a\.example/other"
    ):
        scrape(arguments(urls, store), web(tmp_path))
    assert texts(store, 0) == [["1"]]


def test_another_splitter_needs_overwrite(tmp_path: Path, urls: Path, store: Path) -> None:
    write_tsv(urls, 0, ["http://a.example/1"])
    scrape(arguments(urls, store), web(tmp_path, a__1="1"))
    with pytest.raises(InputError, match="--splitter punkt there, spacy:x here"):
        scrape(arguments(urls, store, "--splitter", "spacy:x"), web(tmp_path))


def test_how_pages_are_fetched_makes_no_other_run(tmp_path: Path, urls: Path, store: Path) -> None:
    write_tsv(urls, 0, ["http://a.example/1"])
    scrape(arguments(urls, store), web(tmp_path, a__1="1"))
    small = web(tmp_path)
    scrape(arguments(urls, store, "--deadline", "90", "--per_host", "1", "--via", "http://archive.example/"), small)
    assert not small.fetched


def test_a_fault_of_the_program_costs_its_row_only_and_is_tried_again(tmp_path: Path, urls: Path, store: Path) -> None:
    write_tsv(urls, 0, ["http://a.example/1", "http://a.example/2"])
    write_tsv(urls, 1, ["http://a.example/2", "http://a.example/3"])
    scraper = scrape(arguments(urls, store), web(tmp_path, a__1="1", a__2=ValueError("odd \ud800"), a__3="3"))
    assert isinstance(scraper._sink, OpenClaims)
    assert scraper._sink.faults == 2
    assert texts(store, 0) == [["1"], []]
    assert texts(store, 1) == [[], ["3"]]
    assert log_of(store, 0)[1].reason.startswith("fault: ValueError: odd")
    assert b"Traceback" in failures_path(store / "0.json").read_bytes()
    manifest = read_manifest(store / "0.json")
    assert manifest is not None
    assert manifest.failures == 1
    small = web(tmp_path, a__1="1", a__2="2", a__3="3")
    scrape(arguments(urls, store), small)
    assert list(small.fetched) == ["http://a.example/2"]
    assert texts(store, 0) == [["1"], ["2"]]
    assert not failures_path(store / "0.json").exists()


def test_a_dead_network_ends_the_run_and_leaves_no_empty_pages(tmp_path: Path, urls: Path, store: Path) -> None:
    write_tsv(urls, 0, ["http://a.example/1", *(f"http://dead.{n}.example/1" for n in range(150))])
    with pytest.raises(NetworkError, match="is there a network"):
        scrape(arguments(urls, store), web(tmp_path, a__1="text"))
    assert not (store / "0.json").exists()
    pages = {f"http://dead.{n}.example/1": "it is back" for n in range(150)}
    small = SmallWeb(pages, tmp_path / "scratch", dead=())
    scrape(arguments(urls, store), small)
    assert texts(store, 0).count(["it is back"]) > 140  # all but the first few, which came before an answer


def test_a_host_that_never_answers_is_given_up(tmp_path: Path, urls: Path, store: Path) -> None:
    write_tsv(urls, 0, [*(f"http://dead.example/{n}" for n in range(30)), "http://a.example/1"])
    small = web(tmp_path, a__1="text")
    scrape(arguments(urls, store), small)
    assert 3 <= small.fetched.total() - 1 <= 4
    reasons = [log.reason for log in log_of(store, 0)]
    assert reasons[-2] == "not tried: its host timed out or gave no answer before"
    assert all(log.transient for log in log_of(store, 0)[:-1])


def test_leaks_are_refused_and_logged(tmp_path: Path, urls: Path, store: Path) -> None:
    claims = tmp_path / "claims.json"
    claims.write_text(
        json.dumps([{"claim": "c", "claim_date": "1-2-2020", "fact_checking_article": "https://www.a.example/check"}]),
        encoding="utf-8",
    )
    write_tsv(
        urls, 0, ["http://a.example/check", "http://a.example/late", "http://a.example/same", "http://a.example/none"]
    )
    write_tsv(urls, 1, ["http://a.example/check"])
    small = web(tmp_path, a__check="verdict", a__late="x\ndate: 2020-02-02", a__same="y\ndate: 2020-02-01", a__none="z")
    scrape(arguments(urls, store, "--claim_file", str(claims)), small)
    assert texts(store, 0) == [[], [], ["y"], ["z"]]
    assert texts(store, 1) == [["verdict"]]  # another claim's article is a page like any other
    reasons = [log.reason for log in log_of(store, 0)]
    assert reasons[0] == "the claim's own fact-checking article"
    assert reasons[1] == "dated 2020-02-02, after the claim (2020-02-01)"


def test_an_own_article_is_not_even_fetched(tmp_path: Path, urls: Path, store: Path) -> None:
    claims = tmp_path / "claims.json"
    claims.write_text('[{"claim": "c", "fact_checking_article": "https://a.example/check"}]', encoding="utf-8")
    write_tsv(urls, 0, ["http://a.example/check"])
    small = web(tmp_path, a__check="verdict")
    scrape(arguments(urls, store, "--claim_file", str(claims)), small)
    assert not small.fetched
    assert texts(store, 0) == [[]]


def claim_file(tmp_path: Path) -> str:
    claims = tmp_path / "claims.json"
    claims.write_text('[{"claim": "c", "fact_checking_article": "https://a.example/check"}]', encoding="utf-8")
    return str(claims)


def test_a_url_that_leads_to_the_own_article_is_refused(tmp_path: Path, urls: Path, store: Path) -> None:
    write_tsv(urls, 0, ["http://short.example/1", "http://b.example/1"])
    small = web(tmp_path, short__1="verdict", b__1="text")
    small.moved["http://short.example/1"] = "https://www.a.example/check"
    scrape(arguments(urls, store, "--claim_file", claim_file(tmp_path)), small)
    assert texts(store, 0) == [[], ["text"]]
    assert log_of(store, 0)[0].reason == "the claim's own fact-checking article"


def test_leaks_in_a_store_that_is_gone_on_with_go(tmp_path: Path, urls: Path, store: Path) -> None:
    write_tsv(urls, 0, ["http://a.example/check", "http://a.example/1", "http://a.example/2"])
    pages = {"a__check": "verdict", "a__1": "one", "a__2": "two"}
    scrape(arguments(urls, tmp_path / "whole"), web(tmp_path, **pages))
    store.mkdir()
    lines = (tmp_path / "whole" / "0.json").read_bytes().splitlines(keepends=True)
    (store / "0.json").write_bytes(b"".join(lines[:2]) + lines[2][:30])  # the last line is torn
    small = web(tmp_path, **pages)
    scrape(arguments(urls, store, "--claim_file", claim_file(tmp_path)), small)
    assert list(small.fetched) == ["http://a.example/2"]
    assert texts(store, 0) == [[], ["one"], ["two"]]


def test_an_interrupted_overwrite_brings_nothing_old_back(tmp_path: Path, urls: Path, store: Path) -> None:
    write_tsv(urls, 0, [f"http://a.example/{n}" for n in range(4)])
    scrape(arguments(urls, store), web(tmp_path, **{f"a__{n}": "old" for n in range(4)}))
    stops = web(tmp_path, a__0="new", a__1=OutputError("disk full"))
    with pytest.raises(OutputError):
        scrape(arguments(urls, store, "--overwrite"), stops, concurrency=1)
    assert texts(store, 0) == [["old"]] * 4
    scrape(arguments(urls, store), web(tmp_path, **{f"a__{n}": "new" for n in range(4)}))
    assert texts(store, 0) == [["new"]] * 4


def test_a_shared_page_that_is_gone_takes_no_text_from_another_claim(tmp_path: Path, urls: Path, store: Path) -> None:
    write_tsv(urls, 1, ["http://a.example/1", "http://dead.example/1"])
    scrape(arguments(urls, store), web(tmp_path, a__1="good text"))
    write_tsv(urls, 0, ["http://a.example/1"])
    scrape(arguments(urls, store, "--retry_failed"), web(tmp_path))
    assert texts(store, 0) == [[]]
    assert texts(store, 1) == [["good text"], []]


def test_of_a_tsv_that_changed_only_new_urls_are_fetched(tmp_path: Path, urls: Path, store: Path) -> None:
    write_tsv(urls, 0, ["http://a.example/1", "http://a.example/2", "http://a.example/gone"])
    scrape(arguments(urls, store), web(tmp_path, a__1="one", a__2="two"))
    write_tsv(urls, 0, ["http://a.example/2", "http://a.example/3", "http://a.example/gone", "http://a.example/1"])
    small = web(tmp_path, a__1="other", a__2="other", a__3="three", a__gone="is back")
    scrape(arguments(urls, store), small)
    assert sorted(small.fetched) == ["http://a.example/3", "http://a.example/gone"]
    assert texts(store, 0) == [["two"], ["three"], ["is back"], ["one"]]
    assert [log.row for log in log_of(store, 0)] == [0, 1, 2, 3]
    assert log_of(store, 0)[0].url == "http://a.example/2"


ALIVE = {"http://a.example/1": "text"}
DEAD = [f"http://dead.{n}.example/1" for n in range(5)]


def killed_before_the_dead(tmp_path: Path, urls: Path, store: Path) -> None:
    """A run that was killed when only dead hosts were left."""

    class Killed(SmallWeb):
        async def get(self, task: Task) -> Download:
            if task.host.startswith("dead"):
                raise OutputError("killed")
            return await super().get(task)

    with pytest.raises(OutputError, match="killed"):
        scrape(arguments(urls, store), Killed(ALIVE, tmp_path / "scratch"), concurrency=1)


@pytest.mark.parametrize("claims", [1, 2])
def test_where_only_dead_hosts_are_left_a_restart_ends(tmp_path: Path, urls: Path, store: Path, claims: int) -> None:
    """Answers of the same claim, and those of another that is done, say that there was a network."""
    rows = [["http://a.example/1", *DEAD]] if claims == 1 else [["http://a.example/1"], DEAD]
    for claim_id, row in enumerate(rows):
        write_tsv(urls, claim_id, row)
    scrape(arguments(urls, tmp_path / "expected"), SmallWeb(ALIVE, tmp_path / "scratch"))
    killed_before_the_dead(tmp_path, urls, store)
    small = SmallWeb(ALIVE, tmp_path / "scratch")
    scrape(arguments(urls, store), small)
    assert sorted(small.fetched) == DEAD
    for claim_id in range(claims):
        assert (store / f"{claim_id}.json").read_bytes() == (tmp_path / "expected" / f"{claim_id}.json").read_bytes()


def test_if_no_server_ever_answered_the_error_names_a_remedy(tmp_path: Path, urls: Path, store: Path) -> None:
    write_tsv(urls, 0, DEAD)
    for _ in range(2):
        with pytest.raises(NetworkError, match="with --retry_failed where the network is up"):
            scrape(arguments(urls, store), SmallWeb({}, tmp_path / "scratch"))
    scrape(arguments(urls, store, "--retry_failed"), SmallWeb({}, tmp_path / "scratch"))
    assert texts(store, 0) == [[]] * 5


def test_a_retry_goes_through_however_much_is_dead(tmp_path: Path, urls: Path, store: Path) -> None:
    dead = [f"http://dead.{n}.example/1" for n in range(150)]
    alive = [f"http://a.example/{n}" for n in range(150)]
    write_tsv(urls, 0, [url for pair in zip(alive, dead, strict=True) for url in pair])
    scrape(arguments(urls, store), SmallWeb(dict.fromkeys(alive, "text"), tmp_path / "scratch"))
    small = SmallWeb({}, tmp_path / "scratch")
    scrape(arguments(urls, store, "--retry_failed"), small)
    assert sorted(small.fetched) == sorted(dead)
    assert sum(map(bool, texts(store, 0))) == 150


def test_a_host_that_times_out_after_its_headers_is_given_up(tmp_path: Path, urls: Path, store: Path) -> None:
    write_tsv(urls, 0, [*(f"http://stuck.example/{n}" for n in range(30)), "http://a.example/1"])
    small = web(tmp_path, a__1="text")
    scrape(arguments(urls, store), small)
    assert small.fetched.total() - 1 <= 4
    assert log_of(store, 0)[-2].transient


def test_what_another_day_may_bring_is_retried_in_an_unfinished_claim(tmp_path: Path, urls: Path, store: Path) -> None:
    write_tsv(urls, 0, ["http://dead.example/1", "http://a.example/1", "http://a.example/2"])
    with pytest.raises(OutputError):
        scrape(arguments(urls, store), web(tmp_path, a__1="1", a__2=OutputError("full")), concurrency=1)
    small = web(tmp_path, a__1="1", a__2="2")
    scrape(arguments(urls, store, "--retry_failed"), small)
    assert sorted(small.fetched) == ["http://a.example/2", "http://dead.example/1"]


def test_a_claim_without_rows_has_an_empty_store(tmp_path: Path, urls: Path, store: Path) -> None:
    write_tsv(urls, 0, [])
    scrape(arguments(urls, store), web(tmp_path))
    assert (store / "0.json").read_bytes() == b""


def test_each_claim_has_a_manifest(tmp_path: Path, urls: Path, store: Path) -> None:
    write_tsv(urls, 3, ["http://a.example/1", "http://a.example/2"])
    scrape(arguments(urls, store), web(tmp_path, a__1="one\ntwo"))
    manifest = read_manifest(store / "3.json")
    assert manifest is not None
    assert manifest.counts == {"rows": 2, "pages": 1, "sentences": 2, "bytes": 7}
    fingerprint: Fingerprint = manifest.fingerprint
    assert (fingerprint.first, fingerprint.last) == (3, 3)
    assert fingerprint.settings["splitter"] == "punkt"


def test_claims_that_are_opened_early_and_closed_again_lose_nothing(tmp_path: Path, urls: Path, store: Path) -> None:
    shared = [f"http://a.example/{n}" for n in range(4)]
    write_tsv(urls, 0, shared)
    for claim_id in (1, 2, 3):
        write_tsv(urls, claim_id, [*shared, f"http://b.example/{claim_id}"])
    pages = dict.fromkeys(shared, "text")
    small = SmallWeb(pages, tmp_path / "scratch")
    scraper = scrape(arguments(urls, store, "--overwrite"), small, concurrency=1, early=1)
    assert [len(texts(store, claim_id)) for claim_id in range(4)] == [4, 5, 5, 5]
    assert set(small.fetched.values()) == {1}
    assert isinstance(scraper._sink, OpenClaims)
    assert scraper._sink._progress.done == 19


def test_a_claim_that_is_left_over_is_a_fault(
    tmp_path: Path, urls: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tsv(urls, 0, ["http://a.example/1", "http://a.example/2"])
    monkeypatch.setattr(Scraper, "_settle", lambda *_: None)
    with pytest.raises(RuntimeError, match=r"claims without an output at the end of the run: \[0\]"):
        scrape(arguments(urls, store), web(tmp_path, a__1="one"))


def test_the_summary_counts_pages_and_failures(tmp_path: Path, urls: Path, store: Path) -> None:
    write_tsv(urls, 0, ["http://a.example/1", "http://a.example/2", "http://dead.example/1"])
    scraper: Scraper = scrape(arguments(urls, store), web(tmp_path, a__1="one"))
    assert scraper.summary() == "1 pages with text, 2 without (1 HTTP 404, 1 timeout)"
    assert read_records(store / "0.json", Document)[0].url == "http://a.example/1"


def test_rows_in_memory_are_those_of_the_files(tmp_path: Path, urls: Path, store: Path) -> None:
    """Shared, refused, late and moved pages, faults and dead hosts: every byte is the same."""
    claims = tmp_path / "claims.json"
    article = {"claim": "c", "claim_date": "1-2-2020", "fact_checking_article": "https://a.example/check"}
    claims.write_text(json.dumps([article]), encoding="utf-8")
    named = [f"http://a.example/{name}" for name in ("1", "late", "check", "1", "odd", "gone", "moved")]
    path = write_tsv(urls, 0, [*named, *(f"http://dead.example/{number}" for number in range(9))])
    pages: dict[str, str | Exception] = {
        "a__1": "one\ntwo",
        "a__late": "x\ndate: 2020-02-02",
        "a__odd": ValueError("odd"),
        "a__moved": "verdict",
    }
    small = [web(tmp_path, **pages) for _ in range(2)]
    for one in small:
        one.moved["http://a.example/moved"] = "https://a.example/check"
    scrape(arguments(urls, store, "--claim_file", str(claims), "--retry_failed"), small[0])
    sink, page_logs = scrape_in_memory(read_url_rows(path), read_leakage(claims, None), small[1])
    assert encode_lines(sink.documents(0)) == (store / "0.json").read_bytes()
    assert encode_lines(sink.logs(0)) == log_path(store / "0.json").read_bytes()
    assert sorted(page_logs, key=lambda log: log.row) == sink.logs(0)
    assert sum(bool(page.url2text) for page in sink.documents(0)) == 2


def test_pages_of_one_claim_leave_no_file(tmp_path: Path, server: FaultServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even a lock or a progress file is made; pages pass through a temporary folder to the processes that read."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr("src.append_only.lock", None)
    rows = [UrlRow("0", "given", server.url(name), "") for name in ("good", "404")]
    network = NetworkSettings(allow_private=True)
    result = asyncio.run(collect_pages(0, rows, Leakage(), PageSettings(workers=1), network))
    assert [page.url for page in result.documents] == [row.url for row in rows]
    assert [bool(page.url2text) for page in result.documents] == [True, False]
    assert [log.reason for log in result.logs] == ["", "HTTP 404"]
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer() as running:
        yield running
