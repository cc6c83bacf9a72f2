"""Files of models that settings name: which ones the nodes of a cluster compare."""

from pathlib import Path
from typing import Annotated

import msgspec
import pytest

from src.llm.weights import QWEN, SMOLLM2
from src.models.model_files import named_model_files
from src.settings import Flag


class Named(msgspec.Struct, frozen=True, kw_only=True):
    llm: Annotated[str | None, Flag("model")] = None


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a folder with empty files of two models, each with a copy for transformers."""
    for archive in (SMOLLM2, QWEN):
        for path in (*(file.path for file in archive.files), "transformers/model.safetensors"):
            (tmp_path / archive.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / archive.folder / path).touch()
    (tmp_path / "tuned" / "checkpoints").mkdir(parents=True)
    (tmp_path / "tuned" / "model.safetensors").touch()
    return tmp_path


def names(settings: Named, root: Path) -> set[str]:
    return {path.name for path in named_model_files(settings, root).values()}


def test_the_bundled_model_is_compared_with_its_copy(root: Path) -> None:
    expected = {"LICENSE", "SmolLM2-135M-Instruct.Q4_1.gguf", "model.safetensors"}
    assert names(Named(llm="smollm2"), root) == names(Named(llm="smollm2:torch"), root) == expected


def test_the_copy_of_a_larger_model_is_compared_only_if_it_runs(root: Path) -> None:
    gguf = QWEN.files[0].path
    assert names(Named(llm=QWEN.name), root) == {gguf}
    assert names(Named(llm=f"{QWEN.name}:transformers"), root) == {gguf, "model.safetensors"}


def test_folders_are_compared(root: Path) -> None:
    for prefix in ("hf:", "vllm:", ""):
        assert names(Named(llm=f"{prefix}{root / 'tuned'}"), root) == {"model.safetensors"}


@pytest.mark.parametrize(
    "spec", [None, "hf:owner/name", "gguf:file.gguf", "openai:model", "greedy", "", "minilm", "mpnet"]
)
def test_other_models_have_no_files_here(root: Path, spec: str | None) -> None:
    assert names(Named(llm=spec), root) == set()
