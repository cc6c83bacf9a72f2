"""Tensors read one by one are those of safetensors; a damaged file is reported with its path."""

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from src.errors import InputError
from src.llm.tensor_file import TensorFile, lookup_of

TENSORS = {
    "a": torch.arange(6, dtype=torch.float32).view(2, 3),
    "b": torch.randn(4).bfloat16(),
    "c": torch.tensor(2.5, dtype=torch.float64),
    "d": torch.zeros(0, 3, dtype=torch.float16),
    "numbers": torch.arange(3),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    save_file(TENSORS, tmp_path / "model.safetensors", metadata={"format": "pt"})
    return tmp_path / "model.safetensors"


def test_tensors_are_those_of_safetensors(path: Path) -> None:
    weights, theirs = TensorFile(path).weights(), load_file(path)
    assert set(weights) == {"a", "b", "c", "d"}
    for name, weight in weights.items():
        assert torch.equal(weight, theirs[name])
        assert (weight.dtype, tuple(weight.shape)) == (theirs[name].dtype, weights.shapes[name])


def test_weights_are_renamed_and_changed(path: Path) -> None:
    weights = TensorFile(path).weights().mapped(lambda name, one: one + 1 if name == "a" else one)
    renamed = weights.renamed({"a": "x", "c": "y"})
    assert list(renamed) == ["x", "y"]
    assert torch.equal(renamed["x"], TENSORS["a"] + 1)
    assert renamed["y"] == 2.5
    assert "a" not in renamed
    assert renamed.get("a") is None


def test_rows_are_looked_up_in_the_file_unless_they_are_changed(path: Path) -> None:
    double = TensorFile(path).weights().mapped(lambda _, one: one.double() * 2, only_cast=["a"])
    ids = torch.tensor([[1, 0], [1, 1]])
    assert torch.equal(double.renamed({"a": "x"}).lookup("x")(ids), TENSORS["a"][ids])
    double = TensorFile(path).weights().mapped(lambda _, one: one.double() * 2)
    assert torch.equal(double.lookup("a")(ids), TENSORS["a"][ids].double() * 2)
    assert torch.equal(lookup_of(TENSORS, "a")(ids), TENSORS["a"][ids])


def test_a_row_outside_the_table_or_the_file_is_an_error(path: Path) -> None:
    look_up = TensorFile(path).weights().lookup("a")
    for row in (-1, 2):
        with pytest.raises(IndexError):
            look_up(torch.tensor([row]))
    path.write_bytes(path.read_bytes()[:300])
    with pytest.raises(InputError, match=r"model\.safetensors: cannot be read: it is cut"):
        look_up(torch.tensor([0, 1]))


@pytest.mark.parametrize("cut", [0, 4, 60, -1])
def test_a_cut_file_is_damaged(path: Path, cut: int) -> None:
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(InputError, match=r"model\.safetensors: cannot be read"):
        TensorFile(path)


@pytest.mark.parametrize(
    ("shape", "size"), [([-2, -2], 16), ([0, 10**30], 0), ([0, -1], 0), ([0, *[2**31 - 1] * 3], 0), ([3], 16)]
)
def test_an_impossible_shape_is_damage(path: Path, shape: list[int], size: int) -> None:
    header = json.dumps({"a": {"dtype": "F32", "shape": shape, "data_offsets": [0, size]}}).encode()
    path.write_bytes(len(header).to_bytes(8, "little") + header + bytes(size))
    with pytest.raises(InputError, match=r"model\.safetensors: cannot be read"):
        TensorFile(path)


def test_a_missing_file_and_another_format_are_errors(path: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none: cannot be read"):
        TensorFile(tmp_path / "none")
    nested = b'{"a":' + b"[" * 100_000
    for header in (b"[1,2]", nested):
        path.write_bytes(len(header).to_bytes(8, "little") + header + bytes(9))
        with pytest.raises(InputError, match="cannot be read"):
            TensorFile(path)
