"""Claims, an engine that answers with the same URLs whatever it is asked, keys, and no waiting between attempts."""

from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from src.retrieval.providers import server
from tests.retrieval.providers.speaking import VARIABLES, Engine
from tests.retrieval.searching.runs import CLAIMS, URLS, write_claims


@pytest.fixture(autouse=True)
def _ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "FIRST_PAUSE", 0.001)
    monkeypatch.setenv("NO_PROXY", "*")
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def claim_file(tmp_path: Path) -> Path:
    return write_claims(tmp_path / "claims.json", CLAIMS)


@pytest.fixture
def engine(httpserver: HTTPServer) -> Engine:
    return Engine("google", httpserver, URLS)
