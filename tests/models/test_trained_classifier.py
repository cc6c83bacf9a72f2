"""A loaded classifier equals the one that was saved: LoRA or whole weights, plain layers or transformers."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file

from src.errors import InputError
from src.llm.weights import hash_of
from src.models import trained_classifier
from src.models.evidence_rows import Input, RowMaker
from src.models.pooled import padded
from src.models.trained_classifier import load_trained
from tests.models.adapters import make_base, make_trained
from tests.tiny_models import sentences

LINES = sentences()
INPUTS: list[Input] = [(LINES[n], [(LINES[n + 7 * k], LINES[n + 3 * k]) for k in range(n % 4)]) for n in range(12)]


@pytest.fixture(scope="module", params=["bert", "mpnet"])
def base(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_base(tmp_path_factory.mktemp("base") / request.param, request.param)


@pytest.fixture
def in_float32(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trained_classifier, "computes_bfloat16", lambda device: False)


def expected(model: Any, base: Path) -> torch.Tensor:
    """Return the logits of the model that was saved, for all inputs in one padded batch."""
    with torch.inference_mode():
        logits: torch.Tensor = model(**padded(RowMaker(base, 64).rows(INPUTS), model.config, "cpu"))
        return logits


@pytest.mark.parametrize("lora", [True, False])
def test_logits_are_those_of_the_trained_model(base: Path, tmp_path: Path, lora: bool, in_float32: None) -> None:
    before = hash_of(base)
    model = make_trained(tmp_path / "x", base, "veracity", lora=lora)
    loaded = load_trained(tmp_path / "x", "veracity")
    assert loaded.info.engine == "torch"
    assert loaded.info.sha256 == hash_of(tmp_path / "x")
    assert loaded.info.details["base_sha256"] == before
    torch.testing.assert_close(loaded.logits(INPUTS), expected(model, base), atol=1e-4, rtol=1e-4)
    assert loaded.logits([]).shape == (0, 4)
    assert hash_of(base) == before


def test_bfloat16_is_close_and_knows_no_neighbours(base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trained_classifier, "computes_bfloat16", lambda device: True)
    model = make_trained(tmp_path / "x", base, "veracity")
    loaded = load_trained(tmp_path / "x", "veracity")
    assert loaded.info.details["dtype"] == "bfloat16"
    logits = loaded.logits(INPUTS)
    torch.testing.assert_close(logits, expected(model, base), atol=0.2, rtol=0.05)
    torch.testing.assert_close(torch.cat([loaded.logits([one]) for one in INPUTS]), logits, atol=1e-2, rtol=1e-2)


def test_what_has_no_plain_layers_runs_in_transformers(
    base: Path, tmp_path: Path, in_float32: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trained_classifier, "_plain_layers", lambda folder: None)
    model = make_trained(tmp_path / "x", base, "veracity")
    loaded = load_trained(tmp_path / "x", "veracity")
    assert loaded.info.engine == "transformers"
    torch.testing.assert_close(loaded.logits(INPUTS), expected(model, base), atol=1e-4, rtol=1e-4)


def test_plain_layers_need_no_transformers(tmp_path: Path, project_root: Path) -> None:
    for kind in ("bert", "mpnet"):
        make_trained(tmp_path / f"on_{kind}", make_base(tmp_path / kind, kind), "reranker", labels=["no", "yes"])
    code = (
        "import sys; from pathlib import Path; from src.models.reranker import load_reranker; "
        f"[load_reranker(folder) for folder in Path({str(tmp_path)!r}).glob('on_*')]; "
        "sys.exit(bool({'transformers', 'peft'} & sys.modules.keys()))"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=project_root).returncode == 0


def test_what_does_not_fit_is_refused_in_one_line(tmp_path: Path) -> None:
    base = make_base(tmp_path / "bert", "bert")
    folder = tmp_path / "x"
    make_trained(folder, base, "veracity")
    with pytest.raises(InputError, match="was trained for veracity, not for reranker"):
        load_trained(folder, "reranker")
    record = json.loads((folder / "training.json").read_text())
    (folder / "training.json").write_text(json.dumps(record | {"layout": "other"}))
    with pytest.raises(InputError, match="laid out as other"):
        load_trained(folder, "veracity")
    (folder / "training.json").write_text(json.dumps(record | {"base_sha256": "0" * 64}))
    with pytest.raises(InputError, match="with weights 000"):
        load_trained(folder, "veracity")


def test_whole_weights_of_another_shape_are_refused(tmp_path: Path) -> None:
    base = make_base(tmp_path / "bert", "bert")
    make_trained(tmp_path / "x", base, "veracity", lora=False)
    save_file({"score.weight": torch.ones(4, 5)}, tmp_path / "x" / "model.safetensors")
    with pytest.raises(InputError, match=r"field score\.weight: its base has no such weight of that shape"):
        load_trained(tmp_path / "x", "veracity")
    save_file({"score.weight": torch.ones(4, 32)}, tmp_path / "x" / "model.safetensors")
    with pytest.raises(InputError, match=r"holds no score\.bias, so it is no classifier"):
        load_trained(tmp_path / "x", "veracity")
    (tmp_path / "x" / "model.safetensors").write_bytes(b"none")
    with pytest.raises(InputError, match="cannot be read"):
        load_trained(tmp_path / "x", "veracity")
