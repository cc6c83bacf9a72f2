"""Pages for the workers: a small one, one that takes long, one that takes much memory."""

from pathlib import Path

import pytest

from tests.retrieval.pages.working import LONG, PAGE


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.html"
    path.write_text(PAGE, encoding="utf-8")
    return path


@pytest.fixture
def slow_page(tmp_path: Path) -> Path:
    """A page that takes seconds to read."""
    path = tmp_path / "slow.html"
    path.write_text(f"<html><body><article>{LONG}</article></body></html>", encoding="utf-8")
    return path


@pytest.fixture
def large_page(tmp_path: Path) -> Path:
    """A page that takes hundreds of megabytes to read."""
    path = tmp_path / "large.html"
    path.write_text(f"<html><body><article>{LONG * 20}</article></body></html>", encoding="utf-8")
    return path
