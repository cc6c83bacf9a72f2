"""A file's noted hash is believed while size and times are the noted ones, and not longer."""

import os
from pathlib import Path

import pytest

from src.errors import InputError
from src.reranking.corpus.paragraph_file import cached_sha256
from src.store import sha256


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "file"
    path.write_text("content")
    return path


def test_an_unchanged_file_is_not_read_again(file: Path, tmp_path: Path) -> None:
    note = tmp_path / "index" / "source.json"
    value = cached_sha256(file, note)
    assert value == sha256(file)
    note.write_bytes(note.read_bytes().replace(value.encode(), b"noted"))
    assert cached_sha256(file, note) == "noted"


def test_another_content_of_the_same_size_and_date_is_seen(file: Path, tmp_path: Path) -> None:
    note = tmp_path / "source.json"
    before = file.stat()
    first = cached_sha256(file, note)
    file.write_text("CONTENT")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert cached_sha256(file, note) == sha256(file) != first


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"sha256": 1}', b"\xff"])
def test_a_damaged_note_is_written_again(file: Path, tmp_path: Path, content: bytes) -> None:
    note = tmp_path / "source.json"
    note.write_bytes(content)
    assert cached_sha256(file, note) == sha256(file)
    assert note.read_bytes() != content


def test_a_folder_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        cached_sha256(tmp_path, tmp_path / "note")
