"""Published checkpoints are read without lightning, and code inside one is not run."""

import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from src.errors import InputError
from src.models.checkpoint import check_state, read_state
from tests.models.published_layout import published_content, write_checkpoint


class Evil:
    """Object whose unpickling creates a folder, as an attacker's pickle would run a command."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> Any:
        import os

        return os.mkdir, (str(self.marker),)


def test_weights_come_out_by_the_names_of_transformers(two_classes: Path, tmp_path: Path) -> None:
    content = published_content(two_classes)
    state = read_state(write_checkpoint(tmp_path / "x.ckpt", content))
    assert len(state) == len(content["state_dict"]) - 1
    assert "bert.embeddings.position_ids" not in state
    assert state["classifier.weight"].shape == (2, 32)
    assert torch.equal(state["classifier.weight"], content["state_dict"]["model.classifier.weight"])


def test_a_pickle_with_code_is_refused_and_not_run(two_classes: Path, tmp_path: Path) -> None:
    marker = tmp_path / "pwned"
    content = published_content(two_classes) | {"callbacks": Evil(marker)}
    with pytest.raises(InputError, match=r"x\.ckpt: its pickle carries code \(\w+\.mkdir\)"):
        read_state(write_checkpoint(tmp_path / "x.ckpt", content))
    assert not marker.exists()


def test_classes_of_the_training_library_are_emptied(
    two_classes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = types.ModuleType("pytorch_lightning.callbacks")
    calls: list[str] = []

    class ModelCheckpoint:
        def __setstate__(self, state: object) -> None:
            calls.append("run")

    ModelCheckpoint.__module__, ModelCheckpoint.__qualname__ = module.__name__, "ModelCheckpoint"
    module.__dict__["ModelCheckpoint"] = ModelCheckpoint
    monkeypatch.setitem(sys.modules, "pytorch_lightning", types.ModuleType("pytorch_lightning"))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    callback = ModelCheckpoint()
    callback.__dict__["monitor"] = "val_f1"
    callbacks = {ModelCheckpoint: {"best": np.float64(0.51), "scores": np.ones(3)}, "kept": callback}
    path = write_checkpoint(tmp_path / "x.ckpt", published_content(two_classes) | {"callbacks": callbacks})
    assert read_state(path)["classifier.bias"].shape == (2,)
    assert calls == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"epoch": 1}, "holds no state_dict"),
        ({"state_dict": {}}, "holds no state_dict"),
        ({"state_dict": {"model.a": 3}}, "'model.a' is not a tensor"),
        ([1, 2], "holds no state_dict"),
    ],
)
def test_what_is_no_lightning_checkpoint_is_refused(content: object, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        read_state(write_checkpoint(tmp_path / "x.ckpt", content))


def test_damaged_files_are_refused(two_classes: Path, tmp_path: Path) -> None:
    whole = write_checkpoint(tmp_path / "x.ckpt", published_content(two_classes)).read_bytes()
    for name, data in (("half", whole[: len(whole) // 2]), ("text", b"not a checkpoint"), ("empty", b"")):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(InputError, match="damaged"):
            read_state(tmp_path / name)
    with pytest.raises(InputError, match="no such checkpoint"):
        read_state(tmp_path / "absent.ckpt")


def test_names_and_shapes_must_fit(tmp_path: Path) -> None:
    expected = {name: torch.zeros(2) for name in "abcdef"}
    check_state(dict(expected), expected, tmp_path)
    state = {"f": torch.zeros(3), "new": torch.zeros(2)}
    with pytest.raises(InputError) as caught:
        check_state(state, expected, tmp_path)
    assert "missing: a, b, c and 2 more" in str(caught.value)
    assert "unexpected: new" in str(caught.value)
    assert "of another shape: f [3] instead of [2]" in str(caught.value)
