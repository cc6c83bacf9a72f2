"""Larger models by name: which engine runs them, and what is missing."""

from pathlib import Path

import pytest

from src.errors import InputError, MissingExtra
from src.llm import Options
from src.llm.convert_gguf import COPY
from src.llm.larger import fastest, load
from src.llm.larger_weights import QWEN

NAME = QWEN.name


@pytest.fixture
def fetched(tmp_path: Path) -> Path:
    """A root with a file of the right name."""
    file = tmp_path / QWEN.folder / QWEN.files[0].path
    file.parent.mkdir()
    file.write_bytes(b"")
    return tmp_path


def test_other_engines_are_refused(fetched: Path) -> None:
    with pytest.raises(InputError, match="unknown engine 'vllm'; known is: transformers"):
        load(f"{NAME}:vllm", "vllm", Options(), fetched)


def test_what_is_missing_is_said_with_the_command_that_brings_it(fetched: Path, tmp_path: Path) -> None:
    with pytest.raises(MissingExtra, match=f"src.llm.fetch {NAME} --unpack"):
        load(f"{NAME}:transformers", "transformers", Options(), fetched)
    with pytest.raises(MissingExtra, match=f"is not here; run: python -m src.llm.fetch {NAME} --unpack "):
        load(NAME, "", Options(), tmp_path / "empty")


@pytest.mark.parametrize("computes", [True, False])
def test_transformers_is_faster_where_the_model_is_unpacked_and_the_device_computes_in_bfloat16(
    computes: bool, fetched: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("src.llm.larger.computes_bfloat16", lambda device: computes)
    assert fastest(NAME, fetched) == NAME
    (fetched / QWEN.folder / COPY).mkdir()
    assert fastest(NAME, fetched) == (f"{NAME}:transformers" if computes else NAME)
    assert fastest("hf:somewhere", fetched) == "hf:somewhere"
