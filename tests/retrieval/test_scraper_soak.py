"""Five hundred pages; `tests/slow` has twenty thousand."""

from pathlib import Path

from tests.retrieval.soak import MEGABYTE, halves, soak


def test_memory_and_open_files_stay_flat(tmp_path: Path, sample: Path, project_root: Path) -> None:
    pages = sorted(sample.glob("pages/*/*.html"))
    first, second = halves(soak(tmp_path, project_root, pages, claims=10, urls=50))
    assert second.files <= first.files + 10
    assert second.scraper < first.scraper + 20 * MEGABYTE
    assert second.scraper + second.workers < 1000 * MEGABYTE
