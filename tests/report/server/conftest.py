"""The application with scripted checks, in this process."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from src.report.server.app import app
from src.report.server.check_service import CheckService
from src.report.server.history import History
from src.report.server.records import Limits
from src.serving.run import secured
from tests.report.server.scripted import HOME, HOSTS, Scripted


@pytest.fixture
def checks() -> Iterator[Scripted]:
    scripted = Scripted()
    yield scripted
    scripted.release.set()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "checks"


@pytest.fixture
def limits() -> Limits:
    return Limits(waiting=3)


@pytest.fixture
def client(checks: Scripted, folder: Path, limits: Limits, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    monkeypatch.setenv("BRAVE_API_KEY", "x")
    with History(folder, limits.kept) as history:
        service = CheckService(checks, history, limits, ["brave"])
        with TestClient(secured(app(service), HOSTS, ""), base_url=HOME, follow_redirects=False) as client:
            yield client
            checks.release.set()
