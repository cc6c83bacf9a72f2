"""Hostile bytes raise only DecodeError, and decoded values are never nested too deeply."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from src.json_decoding import MOST_LEVELS, decode


class _Line(msgspec.Struct):
    claim_id: int
    programs: list[Any] = []


def nested(levels: int) -> bytes:
    return b"[" * levels + b"]" * levels


@pytest.mark.parametrize("levels", [MOST_LEVELS + 1, 900, 100_000])
@pytest.mark.parametrize("field", [b"programs", b"unknown"])
def test_what_is_too_deep(levels: int, field: bytes) -> None:
    with pytest.raises(msgspec.DecodeError, match="more than 200 lists or objects are nested"):
        decode(b'{"claim_id": 1, "' + field + b'": ' + nested(levels) + b"}", _Line)


def test_brackets_beside_each_other_and_in_texts_are_not_deep() -> None:
    many = b"[" + b",".join([b'"[[{ \\" [["'] * 500) + b", [], {}" * 500 + b"]"
    assert len(decode(many, list[object])) == 1500
    assert decode(nested(MOST_LEVELS), list[object])


@pytest.mark.parametrize(
    "data", [b"", b"{", b"9" * 5000, b'{"claim_id": ' + b"9" * 5000 + b"}", b'{"claim_id": "\xff"}', b"\x00", b"1e999"]
)
def test_what_is_no_value(data: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        decode(data, _Line)
    with pytest.raises(msgspec.DecodeError):
        decode(data.replace(b"{}", b""), dict[str, float])


def test_threads_that_decode_a_type_first_at_the_same_time_do_not_end_the_process(project_root: Path) -> None:
    code = """
import sys, threading
sys.setswitchinterval(1e-5)
from src.json_decoding import decode
from src.report.server.records import StoredCheck
import msgspec
together = threading.Barrier(12)
def read():
    together.wait()
    try:
        decode(b"{}", StoredCheck)
    except msgspec.DecodeError:
        pass
threads = [threading.Thread(target=read) for _ in range(12)]
[one.start() for one in threads]
[one.join() for one in threads]
"""
    for _ in range(3):
        assert subprocess.run([sys.executable, "-c", code], cwd=project_root, check=False).returncode == 0
