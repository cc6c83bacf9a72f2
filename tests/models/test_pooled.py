"""Configs as trainings read them: no dropout, by whatever name; one line for what transformers does not load."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from src.errors import InputError
from src.models.pooled import classifier_of, read_config

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
