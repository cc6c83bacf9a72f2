"""Configs as read for training: no dropout, one-line errors; and the tokens with global attention in a Longformer."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from src.errors import InputError
from src.models.evidence_rows import Row, RowMaker
from src.models.pooled import classifier_of, new_classifier, padded, read_config
from tests.tiny_models import make_longformer

SMALL = {"vocab_size": 40, "hidden_size": 32, "intermediate_size": 64, "num_attention_heads": 4}


@pytest.mark.parametrize(
    ("kind", "config"),
    [
        ("DistilBert", {"vocab_size": 40, "dim": 32, "hidden_dim": 64, "n_heads": 4, "n_layers": 1}),
        ("DebertaV2", SMALL | {"num_hidden_layers": 1, "cls_dropout": 0.3, "pooler_dropout": 0.2}),
        ("Roberta", SMALL | {"num_hidden_layers": 1, "classifier_dropout": 0.3}),
    ],
)
def test_dropout_is_off_in_heads_too(kind: str, config: dict[str, Any], tmp_path: Path) -> None:
    import transformers

    made: Any = getattr(transformers, f"{kind}Config")(**config)
    getattr(transformers, f"{kind}ForSequenceClassification")(made).save_pretrained(tmp_path)
    model = classifier_of(tmp_path, "float32")
    assert {one.p for one in model.modules() if isinstance(one, torch.nn.Dropout)} == {0.0}


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"model_type": "bert", "hidden_size": "wide"},
        {"model_type": "ours", "auto_map": {"AutoConfig": "ours.Config"}},
    ],
)
def test_a_config_that_transformers_does_not_load(config: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(InputError, match=r"config.json: cannot be loaded"):
        read_config(tmp_path)


def test_a_longformer_sees_everything_from_claim_and_marks(tmp_path: Path) -> None:
    from transformers import LongformerModel

    folder = make_longformer(tmp_path / "longformer")
    rows = RowMaker(folder, 200).rows([("the river rose", (("", "taxes were cut " * 20), ("", "why did it happen")))])
    (row,) = rows
    batch = padded(rows, read_config(folder), "cpu")
    wide = [place for place, one in enumerate(batch["global_attention_mask"][0].tolist()) if one]
    marks = [place for place, one in enumerate(row.ids) if one == row.ids[-1]]
    assert wide == sorted({*range(row.second), *marks})
    assert len(wide) < len(row.ids) / 2
    model: Any = new_classifier(folder, 2)
    model.eval()
    alone = {name: tensor for name, tensor in batch.items() if name != "global_attention_mask"}
    assert not torch.allclose(model(**batch), model(**alone))
    same: Any = LongformerModel.from_pretrained(folder, add_pooling_layer=False).eval()
    torch.testing.assert_close(model.encoder(**batch).last_hidden_state, same(**batch).last_hidden_state)


def test_with_the_claim_last_a_longformer_sees_from_there(tmp_path: Path) -> None:
    config = read_config(make_longformer(tmp_path / "longformer"))
    batch = padded([Row([2, 20, 21, 3, 10, 3], 4, claim_last=True)], config, "cpu")
    assert batch["global_attention_mask"].tolist() == [[1, 0, 0, 1, 1, 1]]
