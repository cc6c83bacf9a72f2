"""Every way in which a server fails ends as a reason, within the limits, with nothing left on the disk."""

import asyncio
import os
import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest

from src.retrieval.web.fetcher import Fetcher
from tests.retrieval.web.fault_server import FaultServer
from tests.retrieval.web.faults import FAULTS
from tests.retrieval.web.fetching import HASTY, PATIENT, SMALL, fetch


@pytest.mark.parametrize(
    ("name", "status"),
    [("hang-before-headers", None), ("hang-in-headers", None), ("hang-after-headers", 200), ("hang-mid-body", 200)],
)
def test_silence(name: str, status: int | None, server: FaultServer, tmp_path: Path) -> None:
    download = fetch(server.url(name), tmp_path / "page", HASTY)
    assert (download.reason, download.status, download.transient) == ("timeout: read", status, True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["byte-by-byte", "headers-byte-by-byte", "hang-before-headers"])
def test_the_deadline_holds_however_the_server_keeps_busy(name: str, server: FaultServer, tmp_path: Path) -> None:
    download = fetch(server.url(name), tmp_path / "page", replace(PATIENT, deadline=0.4))
    assert (download.reason, download.transient) == ("timeout: deadline of 0.4 s", True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "name",
    ["endless", "endless-chunks", "200-megabytes", "bomb-gzip", "bomb-deflate", "bomb-br"],
)
def test_too_much(name: str, server: FaultServer, tmp_path: Path) -> None:
    download = fetch(server.url(name), tmp_path / "page", SMALL)
    assert (download.reason, download.status) == ("too large: more than 200,000 bytes", 200)
    assert (download.transient, download.path) == (False, None)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["endless", "bomb-gzip", "bomb-deflate", "bomb-br"])
def test_much_takes_little_memory(name: str, server: FaultServer, tmp_path: Path) -> None:
    limits = replace(PATIENT, max_bytes=10_000_000)
    fetch(server.url(name), tmp_path / "page", limits)
    tracemalloc.start()
    try:
        assert fetch(server.url(name), tmp_path / "page", limits).reason.startswith("too large")
        assert tracemalloc.get_traced_memory()[1] < 20_000_000  # the server's own megabytes with it
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("name", "reason", "transient"),
    [
        ("short-body", "body cut short", True),
        ("reset-mid-body", "body cut short", True),
        ("torn-chunk", "body cut short", True),
        ("no-last-chunk", "body cut short", True),
        ("torn-gzip", "body cut short", True),
        ("torn-br", "body cut short", True),
        ("bad-chunk", "body cut short", True),
        ("close", "connection closed without an answer", True),
        ("reset", "connection lost: connection reset by peer", True),
        ("garbage", "not HTTP", False),
        ("huge-header", "headers too large", False),
        ("many-headers", "headers too large", False),
        ("endless-headers", "headers too large", False),
        ("not-gzip", "damaged gzip body", False),
        ("not-br", "damaged br body", False),
        ("zstd", "unknown content-encoding: zstd", False),
        ("three-encodings", "unknown content-encoding: 3 on top of each other", False),
    ],
)
def test_broken_answers(name: str, reason: str, transient: bool, server: FaultServer, tmp_path: Path) -> None:
    before = server.requests[name]
    download = fetch(server.url(name), tmp_path / "page")
    assert (download.reason, download.transient) == (reason, transient)
    assert (download.attempts, server.requests[name] - before) == (1, 1)
    assert list(tmp_path.iterdir()) == []


def test_nobody_there(tmp_path: Path) -> None:
    with FaultServer() as gone:
        url = gone.url("good")
    download = fetch(url, tmp_path / "page")
    assert (download.reason, download.status, download.transient) == (
        "no connection: connection refused",
        None,
        True,
    )


OPEN_FILES = Path("/proc/self/fd")


@pytest.mark.skipif(not OPEN_FILES.is_dir(), reason="open files are counted in /proc")
def test_nothing_stays_open(tmp_path: Path) -> None:
    limits = replace(PATIENT, read=1.0, deadline=5.0, max_bytes=300_000)  # a busy machine serves slowly
    before = len(os.listdir(OPEN_FILES))
    with FaultServer() as server:

        async def run() -> int:
            async with Fetcher(limits) as fetcher:
                urls = [server.url(name) for name in FAULTS for _ in range(3)]
                await asyncio.gather(*(fetcher.fetch(url, tmp_path / str(n)) for n, url in enumerate(urls)))
            return len(asyncio.all_tasks())

        assert asyncio.run(run()) == 1
        good = sum(server.requests[name] for name in ("good", "gzip", "br"))
        assert good == 9
    assert len(os.listdir(OPEN_FILES)) <= before
    assert not list(tmp_path.glob(".*"))
