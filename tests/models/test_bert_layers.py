"""The plain layers of BERT and MPNet give the results of transformers."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import BertModel, MPNetModel

from src.errors import InputError
from src.llm.loading import computes_bfloat16
from src.llm.packed import can_pack
from src.llm.weights import MPNET, is_there
from src.models.bert_layers import (
    FAR,
    PADDING,
    Bert,
    Blocks,
    MPNet,
    buckets,
    fits,
    fits_mpnet,
    read_bert,
)
from tests.models.adapters import make_base

CONFIG = {"model_type": "bert"}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_base(tmp_path_factory.mktemp("base") / "bert", "bert")


@pytest.mark.parametrize("tokens", [1, 30, 296])
def test_vectors_are_those_of_transformers(base: Path, tokens: int) -> None:
    model: Any = BertModel.from_pretrained(base).eval()
    ids = torch.randint(5, 100, (3, tokens), generator=torch.Generator().manual_seed(1))
    segments = (torch.arange(tokens) >= tokens // 3).long().expand(3, -1)
    state, shape = read_bert(base)
    plain = Bert(state, shape)
    with torch.inference_mode():
        expected = model(input_ids=ids, token_type_ids=segments).last_hidden_state
        in_segments, in_one = plain([(ids, segments), (ids[:2, : tokens // 2 + 1], None)])
        torch.testing.assert_close(in_segments, expected, atol=1e-4, rtol=1e-4)
        expected = model(input_ids=ids[:2, : tokens // 2 + 1]).last_hidden_state
        torch.testing.assert_close(in_one, expected, atol=1e-4, rtol=1e-4)


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
    weights, shape = read_bert(tmp_path)
    assert shape.heads == 4
    assert weights.keys() == state.keys()


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


@pytest.fixture(scope="module")
def mpnet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_base(tmp_path_factory.mktemp("base") / "mpnet", "mpnet")


def assert_like_transformers(folder: Path, ids: torch.Tensor) -> None:
    model: Any = MPNetModel.from_pretrained(folder).eval()
    plain = MPNet(*read_bert(folder))
    with torch.inference_mode():
        expected = model(input_ids=ids).last_hidden_state
        in_one, in_segments, shorter = plain(
            [(ids, None), (ids, torch.ones_like(ids)), (ids[:1, : len(ids[0]) - 1], None)]
        )
        torch.testing.assert_close(in_one, expected, atol=1e-4, rtol=1e-4)
        torch.testing.assert_close(in_segments, expected, atol=1e-4, rtol=1e-4)
        assert shorter.shape[1] == ids.shape[1] - 1


@pytest.mark.parametrize("tokens", [2, 30, 256, 296])
def test_vectors_of_an_mpnet_are_those_of_transformers(mpnet: Path, tokens: int) -> None:
    assert_like_transformers(mpnet, torch.randint(5, 100, (3, tokens), generator=torch.Generator().manual_seed(1)))


def test_mark_of_padding_within_a_text_has_no_place(mpnet: Path) -> None:
    assert_like_transformers(mpnet, torch.tensor([[7, PADDING, 9, 11], [7, 8, 9, PADDING]]))


def test_normalisation_is_that_of_the_config(mpnet: Path, tmp_path: Path) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    (folder / "model.safetensors").symlink_to(mpnet / "model.safetensors")
    config = json.loads((mpnet / "config.json").read_text()) | {"layer_norm_eps": 0.1}
    (folder / "config.json").write_text(json.dumps(config))
    assert_like_transformers(folder, torch.arange(5, 45).view(2, 20))


def test_fetched_model_gives_what_transformers_gives(project_root: Path) -> None:
    root = project_root / "pretrained_models"
    if not is_there(MPNET, root):
        pytest.skip("all-mpnet-base-v2 is not in pretrained_models; run: python -m src.llm.fetch mpnet")
    assert_like_transformers(
        root / MPNET.folder, torch.randint(5, 30000, (2, 24), generator=torch.Generator().manual_seed(2))
    )


def test_distances_share_buckets_the_wider_the_farther() -> None:
    table = buckets(2 * FAR)
    assert table[0, :9].tolist() == [0, 17, 18, 19, 20, 21, 22, 23, 24]
    assert table[:9, 0].tolist() == list(range(9))
    assert table[0, FAR:].unique().tolist() == [31]
    assert (table[0].diff()[1:] >= 0).all()


def test_other_mpnets_do_not_fit() -> None:
    config = {"model_type": "mpnet"}
    assert fits_mpnet(config)
    for other in ({"model_type": "bert"}, {"hidden_act": "relu"}, {"relative_attention_num_buckets": 64}):
        assert not fits_mpnet(config | other)


@pytest.mark.skipif(not computes_bfloat16("cpu"), reason="this processor does not compute in bfloat16")
@pytest.mark.parametrize("kind", ["base", "mpnet"])
def test_texts_of_other_lengths_change_no_bit_of_a_text(kind: str, request: pytest.FixtureRequest) -> None:
    state, shape = read_bert(request.getfixturevalue(kind))
    model = (Bert if kind == "base" else MPNet)(state.mapped(lambda _, weight: weight.bfloat16()), shape)
    draw = torch.Generator().manual_seed(3)
    batches = [
        (torch.randint(5, 100, (rows, tokens), generator=draw), None) for rows, tokens in ((1, 9), (4, 70), (2, 33))
    ]
    with torch.inference_mode():
        together = model(batches)
        for batch, vectors in zip(batches, together, strict=True):
            assert torch.equal(model([batch])[0], vectors)


@pytest.mark.skipif(not computes_bfloat16("cpu"), reason="this processor does not compute in bfloat16")
def test_a_rows_product_is_the_same_whatever_is_beside_it() -> None:
    torch.manual_seed(0)
    layer = torch.nn.Linear(1536, 384).bfloat16()
    rows = torch.randn(600, 1536).bfloat16()
    with torch.inference_mode():
        blocks = Blocks(layer.weight, layer.bias)
        whole = blocks(rows)
        for first, count in ((0, 1), (7, 33), (100, 256), (255, 300)):
            assert torch.equal(blocks(rows[first : first + count]), whole[first : first + count])
        assert blocks(rows.view(3, 200, 1536)).shape == (3, 200, 384)
        torch.testing.assert_close(whole, layer(rows), atol=0.02, rtol=0.02)


def test_without_these_operators_a_map_is_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    weight = torch.zeros(2, 2, dtype=torch.bfloat16)
    assert not can_pack(weight.float())
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: False)
    assert not can_pack(weight)
