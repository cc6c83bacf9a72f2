"""A checkpoint is told from any other file by its form."""

from pathlib import Path

import pytest

from src.models.presence import lacking


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.ckpt", b"PK\x05\x06" + bytes(18), ""),
        ("a.ckpt", b"", "a.ckpt: damaged, or not a checkpoint of torch 1.6 or later (those are zip files)"),
        ("folder/model.safetensors", bytes(8) + b"{}", ""),
        ("folder/model.safetensors", b"any text", "folder/model.safetensors: damaged, or not a file of safetensors"),
        ("folder/config.json", b"{}", "folder: 0 files *.safetensors in this folder, 1 is needed"),
    ],
)
def test_what_has_the_form_of_a_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: bytes, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path(name).write_bytes(content)
    assert lacking(name.partition("/")[0]) == said
