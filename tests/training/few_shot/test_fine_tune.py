"""The recipe of an encoder: no longer rows than it has room for; what has no such config is refused."""

import json
from pathlib import Path

import pytest

from src.errors import InputError
from src.training.few_shot import UNBOUNDED, Choices, recipe_of
from src.training.few_shot_encoders import find_encoder


def test_rows_are_as_long_as_the_encoder_has_positions(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "bert", "max_position_embeddings": 96}))
    recipe = recipe_of(find_encoder(f"hf:{tmp_path}"), 3, Choices())
    assert (recipe.base, recipe.seed, recipe.max_length) == (f"hf:{tmp_path}", 3, 96)
    assert recipe_of(find_encoder(f"hf:{tmp_path}"), 3, Choices(max_length=50)).max_length == 50
    assert recipe_of(find_encoder(f"hf:{tmp_path}"), 3, Choices(max_length=500)).max_length == 96


def test_a_longformer_has_4096_positions_and_a_t5_no_end(tmp_path: Path) -> None:
    longformer = {"model_type": "longformer", "max_position_embeddings": 4098, "pad_token_id": 1}
    (tmp_path / "config.json").write_text(json.dumps(longformer))
    assert recipe_of(find_encoder(f"hf:{tmp_path}"), 0, Choices()).max_length == 4096
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "t5", "n_positions": 512}))
    assert recipe_of(find_encoder(f"hf:{tmp_path}"), 0, Choices()).max_length == UNBOUNDED


def test_an_encoder_without_a_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(InputError, match=r"config.json: cannot be loaded: Unrecognized model"):
        recipe_of(find_encoder(f"hf:{tmp_path}"), 0, Choices())
