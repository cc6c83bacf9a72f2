"""Connection to a Ray cluster, with a stand-in for Ray: a start that takes long says what it waits for."""

from contextlib import AbstractContextManager, nullcontext
from types import SimpleNamespace
from typing import Any

import pytest

from src.runner.cluster import connection


@pytest.mark.parametrize(("address", "for_what"), [("local", "Ray to start"), ("auto", "Ray to answer")])
def test_a_long_connection_is_one_line(monkeypatch: pytest.MonkeyPatch, address: str, for_what: str) -> None:
    begun: list[str] = []

    def waiting(for_what: str, *, quiet: bool) -> AbstractContextManager[None]:
        assert quiet
        begun.append(for_what)
        return nullcontext()

    def init(address: str, **_: object) -> Any:
        begun.append(address)
        return SimpleNamespace(dashboard_url="127.0.0.1:8265")

    monkeypatch.setattr(connection, "waiting", waiting)
    monkeypatch.setattr(connection, "_name_main", lambda: None)
    monkeypatch.setattr(connection, "_dashboard", "")
    monkeypatch.setattr(connection, "ray", SimpleNamespace(is_initialized=lambda: False, init=init))
    assert connection.connect(address, quiet=True) == "; dashboard http://127.0.0.1:8265"
    assert begun == [for_what, address]
