"""Paragraphs are found in their file by place, whatever its form; what does not fit is named by file, line, field."""

import gzip
import os
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from src.errors import InputError
from src.records import Paragraph
from src.reranking.corpus.paragraph_file import ParagraphFile
from src.store import encode_lines, encode_list

PARAGRAPHS = [
    Paragraph("Ämter", "Zwei Sätze. Mit Umlaut."),
    Paragraph("", ""),
    Paragraph('Quotes "and" \\', "one\ntwo\u2028three \U0001f600"),
    Paragraph("Long", "word " * 300_000),
    Paragraph("Ämter", "Zwei Sätze. Mit Umlaut."),
]
LINES, LIST = encode_lines(PARAGRAPHS), encode_list(PARAGRAPHS)
LABELS = {"corpus": "abc"}


def opened(path: Path, labels: dict[str, str] = LABELS) -> ParagraphFile:
    return ParagraphFile.open(path, path.parent / "index", labels)


@pytest.fixture
def write(tmp_path: Path) -> Callable[[bytes], Path]:
    def to_file(content: bytes) -> Path:
        path = tmp_path / "paragraphs"
        path.write_bytes(content)
        return path

    return to_file


@pytest.mark.parametrize(
    "content",
    [
        LINES,
        LINES.rstrip(b"\n"),
        LINES.replace(b"\n", b"\r\n"),
        LINES.replace(b"\n", b"\n \x0b\n\n"),
        b"\xef\xbb\xbf" + LINES,
        b"\n\n" + LINES,
        LIST,
        b"\xef\xbb\xbf  \n" + LIST,
        gzip.compress(LINES, mtime=0),
        gzip.compress(b"\xef\xbb\xbf" + LINES, mtime=0),
        gzip.compress(LINES[: len(LINES) // 2], mtime=0) + gzip.compress(LINES[len(LINES) // 2 :], mtime=0),
        gzip.compress(LIST, mtime=0),
    ],
)
def test_every_form_gives_the_same_paragraphs_again_and_again(write: Callable[[bytes], Path], content: bytes) -> None:
    path = write(content)
    for _ in range(2):
        paragraphs = opened(path)
        assert len(paragraphs) == len(PARAGRAPHS)
        assert list(paragraphs) == PARAGRAPHS
        assert paragraphs[2] == PARAGRAPHS[2]
        for outside in (-1, len(PARAGRAPHS)):
            with pytest.raises(IndexError):
                paragraphs[outside]


def test_lines_are_read_where_they_stand_and_not_checked_twice(write: Callable[[bytes], Path]) -> None:
    path = write(b'{"title": "a", "text": "b", "more": 1}\n')
    first = opened(path)
    assert not (path.parent / "index" / "paragraphs.jsonl").exists()
    path.write_bytes(b'{"title": "c", "text": "d", "more": 1}\n')
    assert [*first, *opened(path)] == [Paragraph("c", "d")] * 2


@pytest.mark.parametrize(
    ("content", "line", "field"),
    [
        (b'{"title": "a", "text": "b"}\n\n{"title": "a"}\n', 3, "text"),
        (b'{"title": 1, "text": "b"}', 1, "title"),
        (b'{"title": "a", "text": null}', 1, "text"),
        (b'{"title": "a", "text": "b"}\n{"title": "a", "te', 2, ""),
        (b'{"title": "a", "text": "\xff"}\n', 1, ""),
        (b'[{"title": "a", "text": "b"},\n {"title": "a"}]', 2, "text"),
        (b'[{"title": "a", "text": "b"},\n {"title": ', 2, ""),
        (b"claim\tevidence\n", 1, ""),
    ],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_bad_input(
    write: Callable[[bytes], Path], content: bytes, line: int, field: str, pack: Callable[[bytes], bytes]
) -> None:
    path = write(pack(content))
    for _ in range(2):
        with pytest.raises(InputError) as raised:
            opened(path)
        assert (raised.value.path, raised.value.line, raised.value.field) == (path, line, field)


@pytest.mark.parametrize("content", [b"", b"\n \n", b"[]", gzip.compress(b"", mtime=0)])
def test_no_paragraph(write: Callable[[bytes], Path], content: bytes) -> None:
    with pytest.raises(InputError, match="holds no paragraph"):
        opened(write(content))


@pytest.mark.parametrize(
    "content", [gzip.compress(LINES, mtime=0)[:-9], gzip.compress(LINES, mtime=0)[:200] + b"?" * 200, b"\x1f\x8b"]
)
def test_a_damaged_gzip(write: Callable[[bytes], Path], content: bytes) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        opened(write(content))


def test_an_unpacked_copy_that_is_damaged_or_gone_is_made_again(write: Callable[[bytes], Path]) -> None:
    path = write(gzip.compress(LINES))
    opened(path)
    copy = path.parent / "index" / "paragraphs.jsonl"
    copy.write_bytes(LINES[:50])
    assert list(opened(path)) == PARAGRAPHS
    copy.unlink()
    assert list(opened(path)) == PARAGRAPHS


def test_the_stored_index_of_another_file_is_not_used(write: Callable[[bytes], Path]) -> None:
    path = write(LINES)
    opened(path)
    path.write_bytes(encode_lines(PARAGRAPHS[::-1]))
    assert list(opened(path, {"corpus": "other"})) == PARAGRAPHS[::-1]


def test_a_file_cut_while_in_use_is_one_clear_line(write: Callable[[bytes], Path]) -> None:
    path = write(LINES)
    paragraphs = opened(path)
    os.truncate(path, 100)
    with pytest.raises(InputError, match="was changed while it was in use"):
        paragraphs[2]
    assert paragraphs[0] == PARAGRAPHS[0]


def test_a_file_replaced_while_in_use_is_still_read(write: Callable[[bytes], Path]) -> None:
    path = write(LINES)
    paragraphs = opened(path)
    (path.parent / "new").write_bytes(msgspec.json.encode({}))
    (path.parent / "new").replace(path)
    assert list(paragraphs) == PARAGRAPHS
