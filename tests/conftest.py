"""Fixtures for all tests. Models that tests create are in `tests/tiny_models.py`."""

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from playwright.sync_api import Browser

from src.llm.weights import MINILM, is_there
from tests.browsing import launched
from tests.runner.ray_nodes import RayNodes, ray_nodes

_ROOT = Path(__file__).resolve().parents[1]

settings.register_profile("unhurried", deadline=None)  # a busy machine is slow
settings.load_profile("unhurried")


def pytest_collection_finish() -> None:
    """Exclude the imported libraries from garbage collections, which would otherwise take a second each."""
    gc.freeze()


@pytest.fixture(scope="session")
def project_root() -> Path:
    """Return the folder that contains `src`, `script` and `tests`."""
    return _ROOT


@pytest.fixture(scope="session")
def ray_cluster() -> Iterator[RayNodes]:
    """Yield a Ray cluster of three nodes on this machine. Tests must leave its nodes alive."""
    with ray_nodes() as nodes:
        yield nodes


@pytest.fixture(scope="session")
def sample(project_root: Path) -> Path:
    """Return the sample data set that ships with the project: claims, pages and gold answers."""
    return project_root / "data_store" / "sample"


@pytest.fixture(scope="session")
def shared_data(project_root: Path) -> Path:
    """Return the folder of real data, which is outside the project; `FACTCHECK_SHARED` sets its path.

    If it is missing, the test is skipped; in continuous integration (`CI=true`) it fails.
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
    """Return `pretrained_models` with all-MiniLM-L6-v2. If it is missing, skip the test; with `CI=true`, fail it."""
    root = project_root / "pretrained_models"
    if is_there(MINILM, root):
        return root
    reason = "all-MiniLM-L6-v2 is not in pretrained_models; run: python -m src.llm.fetch minilm"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Yield a chromium for one test module: while it is open, no other event loop can run in this thread."""
    with launched() as running:
        yield running
