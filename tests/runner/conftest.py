"""Fixtures of the runner's tests."""

import os

import pytest


@pytest.fixture(autouse=True)
def quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Switch off fsync and git, which these tests would call thousands of times. Child programs still use both."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    monkeypatch.setattr("src.runner.manifest.revision", lambda: None)
