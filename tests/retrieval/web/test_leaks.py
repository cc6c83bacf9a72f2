"""Many downloads, good and bad, leave no file, socket or task behind."""

import asyncio
import os
from dataclasses import replace
from pathlib import Path

import pytest

from src.retrieval.web.fetcher import Fetcher
from tests.retrieval.web.fault_server import FaultServer
from tests.retrieval.web.faults import FAULTS
from tests.retrieval.web.fetching import PATIENT

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
