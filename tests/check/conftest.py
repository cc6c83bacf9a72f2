"""The real small models, loaded once, with one question for each sentence: eleven more would be drawn for minutes."""

from pathlib import Path

import pytest

from src.check import Models, ModelSettings
from src.records import Claim
from src.reranking.questions.flags import WriterSettings
from src.store import read_claims
from tests.check.needed import need_models

WRITER = WriterSettings(samples=0)


@pytest.fixture(scope="session")
def models(project_root: Path) -> Models:
    """Without them a test is skipped, and fails with `CI=true`."""
    need_models(project_root)
    return Models(ModelSettings(writer=WRITER))


@pytest.fixture(scope="session")
def claims(sample: Path) -> list[Claim]:
    return read_claims(sample / "claims.json")
