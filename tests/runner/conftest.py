"""Fixtures of the runner's tests."""

import os

import pytest


@pytest.fixture(autouse=True)
def quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """No syncing and no asking git, which these tests do thousands of times; programs of their own do both."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    monkeypatch.setattr("src.runner.manifest.revision", lambda: None)
