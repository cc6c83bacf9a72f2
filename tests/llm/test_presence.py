"""What is missing of a model is said without loading anything."""

from pathlib import Path

import huggingface_hub
import pytest

from src.llm import presence
from src.llm.presence import lacking
from src.llm.weights import SMOLLM2

HUB = "owner/no-such-model"


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("nonsense", "unknown model 'nonsense'"),
        ("smollm2", "the model smollm2 is not here; run: bash script/setup.sh"),
        ("qwen2.5-coder-1.5b", "the model qwen2.5-coder-1.5b is not here; run: python -m src.llm.fetch qwen2.5-coder"),
        ("gguf:none.gguf", "the model gguf:none.gguf: no such file"),
        ("scripted:none.jsonl", "the model scripted:none.jsonl: no such file"),
        ("hf:/no/such/folder", "the model /no/such/folder: no such folder, and no name of the hub"),
    ],
)
def test_what_is_missing_is_said(spec: str, said: str, tmp_path: Path) -> None:
    assert lacking(spec, tmp_path).startswith(said)


def test_what_is_here_or_on_a_server_is_not_missing(tmp_path: Path) -> None:
    for file in SMOLLM2.files:
        path = tmp_path / SMOLLM2.folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (tmp_path / "m.gguf").touch()
    specs = ["smollm2", f"gguf:{tmp_path / 'm.gguf'}", f"hf:{tmp_path}", str(tmp_path), "openai:m@http://127.0.0.1:9"]
    assert [lacking(spec, tmp_path) for spec in specs] == [""] * len(specs)


def test_a_model_of_the_hub_is_kept_here_offered_or_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(url: str, timeout: float) -> None:
        raise OSError("no route")

    monkeypatch.setattr(huggingface_hub, "get_hf_file_metadata", away)
    assert lacking(HUB) == (
        f"the model {HUB} is not here, and the hub does not offer it now (where it does: hf download {HUB})"
    )
    monkeypatch.setattr(huggingface_hub, "try_to_load_from_cache", lambda name, file: f"/kept/{name}/{file}")
    assert lacking(HUB) == ""
    monkeypatch.setattr(huggingface_hub, "try_to_load_from_cache", lambda name, file: None)
    monkeypatch.setattr(huggingface_hub, "get_hf_file_metadata", lambda url, timeout: presence.CONFIG)
    assert lacking(HUB) == ""
