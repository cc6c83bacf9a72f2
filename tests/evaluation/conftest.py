"""The gold claims of the dev split, preprocessed once for all tests."""

from pathlib import Path

import pytest

from src.evaluation.averitec import Gold
from src.prediction.prediction_files import labelled
from src.records import Claim
from src.store import read_claims


@pytest.fixture(scope="session")
def averitec(shared_data: Path) -> Path:
    return shared_data / "averitec"


@pytest.fixture(scope="session")
def dev_claims(averitec: Path) -> list[Claim]:
    return read_claims(averitec / "dev.json")


@pytest.fixture(scope="session")
def dev_golds(averitec: Path, dev_claims: list[Claim]) -> list[Gold]:
    return labelled(dev_claims, averitec / "dev.json")
