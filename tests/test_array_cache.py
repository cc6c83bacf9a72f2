"""Cached arrays are loaded unchanged, or not at all."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from safetensors import safe_open

from src.array_cache import NotKept, keep, recall

LABELS = {"store": "abc", "encoder": "small"}
ARRAYS: dict[str, npt.NDArray[Any]] = {
    "vectors": np.arange(12, dtype=np.float16).reshape(3, 4),
    "bounds": np.array([0, 5, 9], dtype=np.int64),
    "words": np.frombuffer("naïve\nword".encode(), dtype=np.uint8),
    "nothing": np.zeros((0, 4), dtype=np.int32),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "dev.index" / "0.arrays"
    keep(path, ARRAYS, LABELS)
    return path


def reason(path: Path, **labels: str) -> str:
    with pytest.raises(NotKept) as raised:
        recall(path, labels or LABELS)
    return str(raised.value)


def test_arrays_come_back_equal_mapped_and_read_only(path: Path) -> None:
    arrays = recall(path, LABELS)
    assert arrays.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        assert arrays[name].dtype == array.dtype
        assert np.array_equal(arrays[name], array)
        assert not arrays[name].flags.writeable
        assert not arrays[name].flags.owndata


def test_safetensors_reads_the_file(path: Path) -> None:
    with safe_open(path, "numpy") as file:
        assert file.metadata().items() > LABELS.items()
        for name in file.keys():  # noqa: SIM118 - not a dictionary
            assert file.get_tensor(name).dtype == ARRAYS[name].dtype
            assert np.array_equal(file.get_tensor(name), ARRAYS[name])
        assert set(file.keys()) == ARRAYS.keys()


def test_the_same_arrays_give_the_same_bytes_strided_or_not(path: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    keep(again, {name: np.repeat(array, 2, axis=0)[::2] for name, array in ARRAYS.items()}, LABELS)
    assert again.read_bytes() == path.read_bytes()


def test_every_array_begins_at_a_multiple_of_its_items(path: Path) -> None:
    for array in recall(path, LABELS).values():
        assert array.flags.aligned


def test_another_label_is_named(path: Path) -> None:
    assert reason(path, store="abd", encoder="small") == "made for another store"
    assert reason(path, store="abc", encoder="large") == "made for another encoder"
    assert reason(path, store="abc", splitter="x") == "made for another splitter"


def test_without_a_file_there_is_no_reason(tmp_path: Path) -> None:
    assert reason(tmp_path / "none") == ""
    (tmp_path / "file").write_bytes(b"")
    assert reason(tmp_path / "file" / "none") == ""


def test_every_truncation_is_damage(path: Path) -> None:
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert reason(path) == "damaged", length
    path.write_bytes(whole + b"x")
    assert reason(path) == "damaged"


def test_every_flipped_bit_is_damage_or_another_label(path: Path) -> None:
    whole = path.read_bytes()
    reasons = set()
    for place in range(len(whole)):
        for bit in (1, 32):
            path.write_bytes(whole[:place] + bytes([whole[place] ^ bit]) + whole[place + 1 :])
            reasons.add(reason(path))
    assert reasons == {"damaged", "made for another store", "made for another encoder"}


@pytest.mark.parametrize("content", [b"", b"\xff" * 200, b"\x02" + b"\0" * 7 + b"[]", b"\x04" + b"\0" * 7 + b"null"])
def test_other_files_are_damage(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other"
    path.write_bytes(content)
    assert reason(path) == "damaged"
