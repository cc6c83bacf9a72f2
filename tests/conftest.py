"""Fixtures that every test may use.

But: models that tests make for themselves stand in `tests/tiny_models.py`.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from playwright.sync_api import Browser

from src.llm.weights import MINILM, is_there
from tests.browsing import launched

_ROOT = Path(__file__).resolve().parents[1]

settings.register_profile("unhurried", deadline=None)  # a busy machine is slow
settings.load_profile("unhurried")


@pytest.fixture(scope="session")
def project_root() -> Path:
    """The folder that holds `src`, `script` and `tests`."""
    return _ROOT


@pytest.fixture(scope="session")
def sample(project_root: Path) -> Path:
    """The small world that ships with the project: claims, pages and their gold answers."""
    return project_root / "data_store" / "sample"


@pytest.fixture(scope="session")
def shared_data(project_root: Path) -> Path:
    """Real data beside the project, never inside it; `FACTCHECK_SHARED` names another place.

    Without it a test is skipped on a laptop and fails in continuous integration (`CI=true`), where it must be there.
    """
    folder = Path(os.environ.get("FACTCHECK_SHARED", project_root.parent / "shared" / "data"))
    if folder.is_dir():
        return folder
    reason = f"real data is not at {folder} (set FACTCHECK_SHARED to where it stands)"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def minilm(project_root: Path) -> Path:
    """pretrained_models with all-MiniLM-L6-v2 in it; without it a test is skipped, and fails with `CI=true`."""
    root = project_root / "pretrained_models"
    if is_there(MINILM, root):
        return root
    reason = "all-MiniLM-L6-v2 is not in pretrained_models; run: python -m src.llm.fetch minilm"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's chromium. Not for a whole session: while it is open, no event loop can be run beside it."""
    with launched() as found:
        yield found
