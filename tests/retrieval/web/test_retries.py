"""How often a server is asked, how long it is left alone in between, and what it asks for itself."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from email.utils import formatdate
from pathlib import Path
from time import monotonic, time

import pytest
from yarl import URL

from src.retrieval.web.download import Download, Limits
from src.retrieval.web.failures import FetchFailed
from src.retrieval.web.fetcher import Fetcher
from src.retrieval.web.retries import NotSent, Pauses, seconds_to_wait, with_retries
from tests.retrieval.web.fault_server import FaultServer
from tests.retrieval.web.faults import FAULTS, HTML, answer, redirect
from tests.retrieval.web.fetching import PATIENT, RETRYING, fetch, fetch_all

BUSY = answer(status="503 Service Unavailable")


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses between attempts, none of which is made: the clock is put forward."""
    made: list[float] = []

    async def note(seconds: float) -> None:
        made.append(seconds)

    monkeypatch.setattr("src.retrieval.web.retries.sleep", note)
    monkeypatch.setattr("src.retrieval.web.retries.monotonic", lambda: monotonic() + sum(made))
    return made


@pytest.mark.parametrize("fault", ["503", "500", "429", "reset", "close", "short-body", "torn-chunk"])
def test_a_good_answer_after_a_transient_fault(fault: str, server: FaultServer, tmp_path: Path) -> None:
    name = f"{fault}-then-good"
    download = fetch(server.answer(name, FAULTS[fault], answer()), tmp_path / "page", RETRYING)
    assert (download.reason, download.attempts, server.requests[name]) == ("", 2, 2)
    assert (tmp_path / "page").read_bytes() == HTML


@pytest.mark.parametrize("name", ["500", "503", "429", "reset", "short-body"])
def test_no_more_attempts_than_allowed(name: str, server: FaultServer, tmp_path: Path) -> None:
    before = server.requests[name]
    download = fetch(server.url(name), tmp_path / "page", RETRYING)
    assert (download.attempts, server.requests[name] - before, download.transient) == (3, 3, True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["404", "403", "empty", "garbage", "200-megabytes", "not-gzip", "zstd"])
def test_permanent_failures_are_not_retried(name: str, server: FaultServer, tmp_path: Path) -> None:
    before = server.requests[name]
    limits = replace(RETRYING, max_bytes=1_000_000)
    download = fetch(server.url(name), tmp_path / "page", limits)
    assert (download.attempts, server.requests[name] - before, download.transient) == (1, 1, False)


@pytest.mark.parametrize("status", ["429 Too Many Requests", "503 Service Unavailable"])
def test_retry_after_is_obeyed(status: str, server: FaultServer, tmp_path: Path, pauses: list[float]) -> None:
    name = f"after-{status[:3]}"
    download = fetch(server.answer(name, answer(status=status, Retry_After="7"), answer()), tmp_path / "page", RETRYING)
    assert (download.reason, server.requests[name]) == ("", 2)
    assert pauses == [7.0]


def test_retry_after_as_a_date_is_obeyed(server: FaultServer, tmp_path: Path, pauses: list[float]) -> None:
    later = formatdate(time() + 20, usegmt=True)
    url = server.answer("after-date", answer(status="429 Too Many Requests", Retry_After=later), answer())
    assert fetch(url, tmp_path / "page", RETRYING).reason == ""
    assert 10 < pauses[0] <= 20


def test_a_pause_beyond_the_deadline_is_not_begun(server: FaultServer, tmp_path: Path, pauses: list[float]) -> None:
    download = fetch(server.url("429-in-an-hour"), tmp_path / "page", RETRYING)
    assert (download.reason, download.transient) == ("HTTP 429, Retry-After 3600 s", True)
    assert server.requests["429-in-an-hour"] == 1
    assert pauses == []


def test_retry_after_means_nothing_on_other_answers(server: FaultServer, tmp_path: Path) -> None:
    url = server.answer("500-later", answer(status="500 Oops", Retry_After="3600"), answer())
    assert fetch(url, tmp_path / "page", RETRYING).attempts == 2


def test_pauses_double_with_jitter(pauses: list[float]) -> None:
    async def fails() -> None:
        raise FetchFailed("HTTP 500", transient=True)

    with pytest.raises(FetchFailed, match="HTTP 500"):
        asyncio.run(with_retries(Limits(attempts=5, deadline=1000), fails))
    assert len(pauses) == 4
    for number, pause in enumerate(pauses):
        assert 0.5 * 2**number <= pause <= 0.5 * 2**number + 0.5
    assert len(set(pauses)) == 4


def test_the_deadline_covers_all_attempts(server: FaultServer, tmp_path: Path) -> None:
    limits = replace(RETRYING, attempts=1000, read=0.1, deadline=0.5)
    download = fetch(server.url("hang-before-headers"), tmp_path / "page", limits)
    assert download.reason in {"timeout: deadline of 0.5 s", "timeout: read"}
    assert download.attempts < 10


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("0", 0.0), (" 120 ", 120.0), ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0), ("soon", None), ("", None), ("-5", None)],
)
def test_retry_after_as_servers_write_it(header: str, seconds: float | None) -> None:
    assert seconds_to_wait(header) == seconds


def test_a_retry_after_without_end_is_no_number(server: FaultServer) -> None:
    assert seconds_to_wait("9" * 400) is None


IN_A_MINUTE = answer(status="429 Too Many Requests", Retry_After="60")
SAID = "HTTP 429, Retry-After 60 s"


@pytest.fixture
def busy_server() -> Iterator[FaultServer]:
    with FaultServer() as running:
        running.answer("busy", IN_A_MINUTE)
        yield running


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The waits for the end of a pause, none of which is made: the clock is put forward."""
    made: list[float] = []

    async def note(seconds: float) -> None:
        made.append(seconds)
        await asyncio.sleep(0)

    monkeypatch.setattr("src.retrieval.web.retries.sleep", note)
    monkeypatch.setattr("src.retrieval.web.retries.monotonic", lambda: monotonic() + sum(made))
    return made


@pytest.mark.parametrize("status", ["429 Too Many Requests", "503 Service Unavailable"])
def test_thirty_urls_of_a_busy_server_are_one_request(status: str, busy_server: FaultServer, tmp_path: Path) -> None:
    busy_server.answer("busy", answer(status=status, Retry_After="60"))
    reason = f"HTTP {status[:3]}, Retry-After 60 s"
    urls = [busy_server.url("busy"), *(busy_server.url(f"good?{number}") for number in range(29))]
    first, *others = fetch_all(urls, tmp_path / "page", RETRYING)
    assert busy_server.requests.total() == 1
    assert (first.reason, first.attempts, first.status, first.transient) == (reason, 1, int(status[:3]), True)
    for other in others:
        assert (other.reason, other.attempts, other.status) == (f"not sent: {reason}", 0, None)
        assert (other.transient, other.path, other.final_url) == (True, None, other.url)


def test_thirty_at_once_are_no_more_than_were_on_their_way(busy_server: FaultServer, tmp_path: Path) -> None:
    async def run() -> list[Download]:
        async with Fetcher(RETRYING) as fetcher:
            places = asyncio.Semaphore(4)

            async def one(number: int) -> Download:
                async with places:
                    return await fetcher.fetch(busy_server.url("busy"), tmp_path / str(number))

            return await asyncio.gather(*map(one, range(30)))

    downloads = asyncio.run(run())
    assert 1 <= busy_server.requests["busy"] <= 4
    assert sum(download.attempts for download in downloads) == busy_server.requests["busy"]
    assert {download.reason for download in downloads} == {SAID, f"not sent: {SAID}"}


def test_other_servers_are_not_held_up(busy_server: FaultServer, tmp_path: Path) -> None:
    with FaultServer() as other:
        downloads = fetch_all([busy_server.url("busy"), other.url("good"), busy_server.url("good")], tmp_path / "page")
    assert [download.reason for download in downloads] == [SAID, "", f"not sent: {SAID}"]


def test_the_pause_is_that_of_the_server_that_answered(busy_server: FaultServer, tmp_path: Path) -> None:
    with FaultServer() as leading:
        leading.answer("leads", redirect(busy_server.url("busy")))
        urls = [leading.url("leads"), leading.url("good"), busy_server.url("good"), leading.url("leads")]
        moved, good, direct, again = fetch_all(urls, tmp_path / "page", RETRYING)
    assert (moved.reason, good.reason, direct.reason, again.reason) == (SAID, "", f"not sent: {SAID}", direct.reason)
    assert (again.attempts, again.redirects, again.status, again.final_url) == (1, 1, 302, busy_server.url("busy"))
    assert leading.requests == {"leads": 2, "good": 1}
    assert busy_server.requests == {"busy": 1}


def test_a_pause_that_fits_the_deadline_is_waited_for(
    busy_server: FaultServer, tmp_path: Path, waits: list[float]
) -> None:
    busy_server.answer("busy", answer(status="503 Service Unavailable", Retry_After="20"))
    busy, good, later = fetch_all(
        [busy_server.url("busy"), busy_server.url("good"), busy_server.url("good")],
        tmp_path / "page",
        replace(PATIENT, deadline=30),
    )
    assert (busy.attempts, good.attempts, later.attempts) == (1, 1, 1)
    assert (busy.reason, good.reason, later.reason) == ("HTTP 503, Retry-After 20 s", "", "")
    assert [round(wait) for wait in waits] == [20]


def test_later_attempts_keep_to_the_pause_of_another_download(busy_server: FaultServer, tmp_path: Path) -> None:
    async def run() -> Download:
        async with Fetcher(RETRYING) as fetcher:

            async def fails_late(head: str, out: asyncio.StreamWriter) -> None:
                asyncio.run_coroutine_threadsafe(fetcher.fetch(busy_server.url("busy"), tmp_path / "busy"), loop)
                while not busy_server.requests["busy"]:
                    await asyncio.sleep(0.01)
                await asyncio.sleep(0.1)
                out.write(answer(status="500 Oops"))

            loop = asyncio.get_running_loop()
            return await fetcher.fetch(busy_server.answer("late", fails_late), tmp_path / "page")

    download = asyncio.run(run())
    assert (download.reason, download.attempts, download.status) == (f"not sent: {SAID}", 1, 500)
    assert busy_server.requests == {"late": 1, "busy": 1}


def test_retry_after_of_robots_txt_pauses_the_host(busy_server: FaultServer, tmp_path: Path) -> None:
    busy_server.answer("robots.txt", IN_A_MINUTE)
    (download,) = fetch_all([busy_server.url("good")], tmp_path / "page", replace(RETRYING, robots=True))
    assert (download.reason, download.attempts) == (f"not sent: {SAID}", 0)
    assert busy_server.requests == {"robots.txt": 1}


def test_the_number_of_stored_pauses_is_limited() -> None:
    pauses = Pauses(keep=2)
    for number, seconds in enumerate([30.0, 10.0, 20.0]):
        pauses.begin(URL(f"http://{number}.test/"), seconds, "HTTP 429")

    async def run() -> list[bool]:
        return [await is_paused(pauses, f"http://{number}.test/page") for number in range(3)]

    assert asyncio.run(run()) == [True, False, True]


def test_a_shorter_pause_does_not_end_a_longer_one() -> None:
    pauses = Pauses()
    pauses.begin(URL("http://a.test/x"), 3600, "HTTP 503")
    pauses.begin(URL("http://a.test/y"), 0.0, "HTTP 429")
    assert asyncio.run(is_paused(pauses, "http://a.test/z"))
    assert not asyncio.run(is_paused(pauses, "https://a.test/z"))


def test_a_pause_that_is_sent_to_and_fro_does_not_grow() -> None:
    here, there = Pauses(), Pauses()
    here.begin(URL("http://a.test/x"), 60.0, SAID)
    for _ in range(9):
        sent = here.demand("http://a.test/y")
        assert sent is not None
        there.obey(sent._replace(seconds=sent.seconds + 0.5))  # it was half a second on the way
        back = there.demand("http://a.test/z")
        assert back is not None
        here.obey(back)
    last = here.demand("http://a.test/x")
    assert last is not None
    assert last.seconds <= 60.0
    assert last.reason == SAID


def test_only_the_paused_origin_has_a_demand() -> None:
    pauses = Pauses()
    pauses.begin(URL("http://a.test/x"), 60.0, SAID)
    assert [pauses.demand(url) for url in ("https://a.test/x", "http://b.test/", "no address", "http://[")] == [
        None
    ] * 4


async def is_paused(pauses: Pauses, url: str) -> bool:
    try:
        await pauses.over(URL(url), monotonic())
    except NotSent:
        return True
    return False
