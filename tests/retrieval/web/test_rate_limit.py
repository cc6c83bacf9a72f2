"""A server that asks to be left alone is left alone, by every download, and no other server is."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from time import monotonic

import pytest
from yarl import URL

from src.retrieval.web.download import Download
from src.retrieval.web.fetcher import Fetcher
from src.retrieval.web.rate_limit import NotAsked, Pauses
from tests.retrieval.web.fault_server import FaultServer
from tests.retrieval.web.faults import answer, redirect
from tests.retrieval.web.fetching import PATIENT, RETRYING, fetch_all

IN_A_MINUTE = answer(status="429 Too Many Requests", Retry_After="60")
SAID = "HTTP 429, Retry-After 60 s"


@pytest.fixture
def server() -> Iterator[FaultServer]:
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

    monkeypatch.setattr("src.retrieval.web.rate_limit.sleep", note)
    monkeypatch.setattr("src.retrieval.web.rate_limit.monotonic", lambda: monotonic() + sum(made))
    return made


@pytest.mark.parametrize("status", ["429 Too Many Requests", "503 Service Unavailable"])
def test_thirty_urls_of_a_busy_server_are_one_request(status: str, server: FaultServer, tmp_path: Path) -> None:
    server.answer("busy", answer(status=status, Retry_After="60"))
    said = f"HTTP {status[:3]}, Retry-After 60 s"
    urls = [server.url("busy"), *(server.url(f"good?{number}") for number in range(29))]
    first, *others = fetch_all(urls, tmp_path / "page", RETRYING)
    assert server.requests.total() == 1
    assert (first.reason, first.attempts, first.status, first.transient) == (said, 1, int(status[:3]), True)
    for other in others:
        assert (other.reason, other.attempts, other.status) == (f"not asked: {said}", 0, None)
        assert (other.transient, other.path, other.final_url) == (True, None, other.url)


def test_thirty_at_once_are_no_more_than_were_on_their_way(server: FaultServer, tmp_path: Path) -> None:
    async def run() -> list[Download]:
        async with Fetcher(RETRYING) as fetcher:
            places = asyncio.Semaphore(4)

            async def one(number: int) -> Download:
                async with places:
                    return await fetcher.fetch(server.url("busy"), tmp_path / str(number))

            return await asyncio.gather(*map(one, range(30)))

    downloads = asyncio.run(run())
    assert 1 <= server.requests["busy"] <= 4
    assert sum(download.attempts for download in downloads) == server.requests["busy"]
    assert {download.reason for download in downloads} == {SAID, f"not asked: {SAID}"}


def test_other_servers_are_not_held_up(server: FaultServer, tmp_path: Path) -> None:
    with FaultServer() as other:
        downloads = fetch_all([server.url("busy"), other.url("good"), server.url("good")], tmp_path / "page")
    assert [download.reason for download in downloads] == [SAID, "", f"not asked: {SAID}"]


def test_the_pause_is_that_of_the_server_that_answered(server: FaultServer, tmp_path: Path) -> None:
    with FaultServer() as leading:
        leading.answer("leads", redirect(server.url("busy")))
        urls = [leading.url("leads"), leading.url("good"), server.url("good"), leading.url("leads")]
        moved, good, direct, again = fetch_all(urls, tmp_path / "page", RETRYING)
    assert (moved.reason, good.reason, direct.reason, again.reason) == (SAID, "", f"not asked: {SAID}", direct.reason)
    assert (again.attempts, again.redirects, again.status, again.final_url) == (1, 1, 302, server.url("busy"))
    assert leading.requests == {"leads": 2, "good": 1}
    assert server.requests == {"busy": 1}


def test_a_pause_that_fits_the_deadline_is_waited_for(server: FaultServer, tmp_path: Path, waits: list[float]) -> None:
    server.answer("busy", answer(status="503 Service Unavailable", Retry_After="20"))
    busy, good, later = fetch_all(
        [server.url("busy"), server.url("good"), server.url("good")], tmp_path / "page", replace(PATIENT, deadline=30)
    )
    assert (busy.attempts, good.attempts, later.attempts) == (1, 1, 1)
    assert (busy.reason, good.reason, later.reason) == ("HTTP 503, Retry-After 20 s", "", "")
    assert [round(wait) for wait in waits] == [20]


def test_later_attempts_keep_to_the_pause_of_another_download(server: FaultServer, tmp_path: Path) -> None:
    async def run() -> Download:
        async with Fetcher(RETRYING) as fetcher:

            async def fails_late(head: str, out: asyncio.StreamWriter) -> None:
                asyncio.run_coroutine_threadsafe(fetcher.fetch(server.url("busy"), tmp_path / "busy"), loop)
                while not server.requests["busy"]:
                    await asyncio.sleep(0.01)
                await asyncio.sleep(0.1)
                out.write(answer(status="500 Oops"))

            loop = asyncio.get_running_loop()
            return await fetcher.fetch(server.answer("late", fails_late), tmp_path / "page")

    download = asyncio.run(run())
    assert (download.reason, download.attempts, download.status) == (f"not asked: {SAID}", 1, 500)
    assert server.requests == {"late": 1, "busy": 1}


def test_robots_txt_asks_for_a_pause_too(server: FaultServer, tmp_path: Path) -> None:
    server.answer("robots.txt", IN_A_MINUTE)
    (download,) = fetch_all([server.url("good")], tmp_path / "page", replace(RETRYING, robots=True))
    assert (download.reason, download.attempts) == (f"not asked: {SAID}", 0)
    assert server.requests == {"robots.txt": 1}


def test_no_more_pauses_are_kept_than_allowed() -> None:
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


async def is_paused(pauses: Pauses, url: str) -> bool:
    try:
        await pauses.over(URL(url), monotonic())
    except NotAsked:
        return True
    return False
