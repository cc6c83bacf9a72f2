"""The real small models, loaded once, with one question for each sentence: eleven more would be drawn for minutes."""

from argparse import ArgumentParser
from pathlib import Path

import pytest

from src.check import Models
from src.records import Claim
from src.reranking.questions.flags import add_writer_flags
from src.store import read_claims
from tests.check.needed import need_models

FLAGS = ("--samples", "0")


@pytest.fixture(scope="session")
def models(project_root: Path) -> Models:
    """Without them a test is skipped, and fails with `CI=true`."""
    need_models(project_root)
    flags = ArgumentParser()
    add_writer_flags(flags)
    return Models(flags.parse_args(FLAGS))


@pytest.fixture(scope="session")
def claims(sample: Path) -> list[Claim]:
    return read_claims(sample / "claims.json")
