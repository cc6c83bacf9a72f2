from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from src.errors import InputError
from src.llm import Options, get_llm
from src.llm.loading import context_of, find_dtype


@pytest.mark.parametrize(
    ("own", "device", "computes", "expected"),
    [
        (torch.float32, "cpu", True, "float32"),
        (None, "cuda", True, "float32"),
        (torch.float16, "cpu", True, "bfloat16"),
        (torch.bfloat16, "cpu", False, "float32"),
        (torch.bfloat16, "cuda", True, "bfloat16"),
        (torch.bfloat16, "cuda", False, "float16"),
    ],
)
def test_number_format_follows_checkpoint_and_device(
    own: torch.dtype | None, device: str, computes: bool, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("src.llm.loading.computes_bfloat16", lambda device: computes)
    assert find_dtype(SimpleNamespace(dtype=own), device) == expected


def test_context_is_unknown_for_relative_positions() -> None:
    from transformers import BloomConfig, LlamaConfig, T5Config

    assert context_of(LlamaConfig(max_position_embeddings=2048)) == 2048
    assert context_of(T5Config()) is None
    assert context_of(BloomConfig()) is None


def test_missing_folder_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such model folder"):
        get_llm(f"hf:{tmp_path / 'none'}")


def test_folder_without_a_model_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot load the model"):
        get_llm(f"hf:{tmp_path}", Options(device="cpu"))
