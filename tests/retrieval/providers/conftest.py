"""Keys in the environment, and no waiting between attempts."""

import pytest

from src.retrieval.providers import server
from tests.retrieval.providers.speaking import VARIABLES


@pytest.fixture(autouse=True)
def _ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "FIRST_PAUSE", 0.001)
    for name in ("SEARXNG_URL", "SEARCH_CONTACT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "*")
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)
