"""The real small models, loaded once, with one question for each sentence: eleven more would be drawn for minutes."""

import os
from argparse import ArgumentParser
from pathlib import Path

import pytest

from src.check import Models
from src.check.models import ENTAILMENT
from src.llm.weights import MINILM, MPNET, SMOLLM2, is_there
from src.models.trained import is_trained
from src.records import Claim
from src.reranking.questions.flags import add_writer_flags
from src.store import read_claims

FLAGS = ("--samples", "0")


@pytest.fixture(scope="session")
def models(project_root: Path) -> Models:
    """Without them a test is skipped, and fails with `CI=true`."""
    root = project_root / "pretrained_models"
    lacking = [one.name for one in (MINILM, MPNET, SMOLLM2) if not is_there(one, root)]
    if lacking or not is_trained(project_root / ENTAILMENT):
        reason = f"not in pretrained_models: {', '.join(lacking) or ENTAILMENT}; run: python -m src.llm.fetch"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    flags = ArgumentParser()
    add_writer_flags(flags)
    return Models(flags.parse_args(FLAGS))


@pytest.fixture(scope="session")
def claims(sample: Path) -> list[Claim]:
    return read_claims(sample / "claims.json")
