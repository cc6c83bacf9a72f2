"""The recipe of an encoder: no longer rows than it has room for; what has no such config is refused."""

import json
from pathlib import Path

import pytest

from src.errors import InputError
from src.training.shots.encoders import find_encoder
from src.training.shots.fine_tune import recipe_of


def test_rows_are_as_long_as_the_encoder_has_positions(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "bert", "max_position_embeddings": 96}))
    recipe = recipe_of(find_encoder(f"hf:{tmp_path}"), 3)
    assert (recipe.base, recipe.seed, recipe.max_length) == (f"hf:{tmp_path}", 3, 96)


def test_an_encoder_without_a_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(InputError, match=r"config.json: cannot be loaded: Unrecognized model"):
        recipe_of(find_encoder(f"hf:{tmp_path}"), 0)
