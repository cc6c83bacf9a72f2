"""Five hundred pages; `tests/slow` has twenty thousand."""

from pathlib import Path

from bench.soak import soak


def test_memory_and_open_files_stay_flat(tmp_path: Path, sample: Path) -> None:
    result = soak(tmp_path, sorted(sample.glob("pages/*/*.html")), claims=10, urls=50)
    first, second = result.first_half, result.second_half
    assert second.files <= first.files + 40
    assert second.scraper < first.scraper + 20e6
    assert second.scraper + second.workers < 1e9
