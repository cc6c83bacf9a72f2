"""Fixtures that every test may use.

But: models that tests make for themselves stand in `tests/tiny_models.py`.
"""

import os
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[1]


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
