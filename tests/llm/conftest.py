"""Tiny random models, created and loaded once for all tests of this folder, in float32 on the CPU."""

import os
from pathlib import Path

import pytest

from src.llm import Options, get_llm
from src.llm.transformers_backend import TransformersModel
from src.llm.weights import SMOLLM2, is_there
from tests.tiny_models import make_causal, make_seq2seq

FLOAT32 = Options(dtype="float32", device="cpu", batch_rows=5)


@pytest.fixture(scope="session")
def causal_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_causal(tmp_path_factory.mktemp("models") / "causal")


@pytest.fixture(scope="session")
def seq2seq_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_seq2seq(tmp_path_factory.mktemp("models") / "seq2seq")


@pytest.fixture(scope="session")
def causal(causal_folder: Path) -> TransformersModel:
    model = get_llm(f"hf:{causal_folder}", FLOAT32)
    assert isinstance(model, TransformersModel)
    return model


@pytest.fixture(scope="session")
def seq2seq(seq2seq_folder: Path) -> TransformersModel:
    model = get_llm(f"hf:{seq2seq_folder}", FLOAT32)
    assert isinstance(model, TransformersModel)
    return model


@pytest.fixture(scope="session")
def pretrained(project_root: Path) -> Path:
    """Return `pretrained_models` with SmolLM2. If it is missing, skip the test; with `CI=true`, fail it."""
    root = project_root / "pretrained_models"
    if is_there(SMOLLM2, root):
        return root
    reason = "SmolLM2 is not in pretrained_models; run: python -m src.llm.fetch smollm2"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)
