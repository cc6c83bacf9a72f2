"""The plain layers give what transformers gives."""

from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import BertModel

from src.errors import InputError
from src.models.bert_layers import SHORT, Bert, fits, read_bert
from tests.models.adapters import make_base

CONFIG = {"model_type": "bert"}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_base(tmp_path_factory.mktemp("base") / "bert", "bert")


@pytest.mark.parametrize("tokens", [1, 30, SHORT + 40])
def test_vectors_are_those_of_transformers(base: Path, tokens: int) -> None:
    model: Any = BertModel.from_pretrained(base).eval()
    ids = torch.randint(5, 100, (3, tokens), generator=torch.Generator().manual_seed(1))
    segments = (torch.arange(tokens) >= tokens // 3).long().expand(3, -1)
    state, shape = read_bert(base)
    plain = Bert(state, shape)
    with torch.inference_mode():
        expected = model(input_ids=ids, token_type_ids=segments).last_hidden_state
        torch.testing.assert_close(plain(ids, segments), expected, atol=1e-4, rtol=1e-4)
        torch.testing.assert_close(plain(ids), model(input_ids=ids).last_hidden_state, atol=1e-4, rtol=1e-4)


def test_names_of_older_files_are_known(base: Path, tmp_path: Path) -> None:
    state, _ = read_bert(base)
    older = {
        f"bert.{name}".replace("LayerNorm.weight", "LayerNorm.gamma").replace(
            "LayerNorm.bias", "LayerNorm.beta"
        ): weight
        for name, weight in state.items()
    }
    save_file(older | {"cls.predictions.bias": torch.ones(3)}, tmp_path / "model.safetensors")
    (tmp_path / "config.json").write_bytes((base / "config.json").read_bytes())
    found, shape = read_bert(tmp_path)
    assert shape.heads == 4
    assert found.keys() == state.keys()


def test_another_model_or_a_damaged_file_is_refused(base: Path, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_bytes((base / "config.json").read_bytes())
    save_file({"linear.weight": torch.ones(2)}, tmp_path / "model.safetensors")
    with pytest.raises(InputError, match=r"not a BERT: embeddings\.word_embeddings\.weight is missing"):
        read_bert(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"no tensors")
    with pytest.raises(InputError, match="cannot be read"):
        read_bert(tmp_path)


def test_what_the_layers_do_not_do_does_not_fit(base: Path) -> None:
    assert fits(CONFIG)
    for other in ({"model_type": "mpnet"}, {"hidden_act": "relu"}, {"type_vocab_size": 1}):
        assert not fits(CONFIG | other)
    assert load_file(base / "model.safetensors")
