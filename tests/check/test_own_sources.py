"""Sources of the command line: addresses, lists, documents, pasted texts."""

import io
import sys
from pathlib import Path

import pytest

from src.check.own_sources import MOST_BYTES, documents_of, urls_of
from src.check.records import OwnDocument
from src.errors import InputError


def give(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def test_urls_are_addresses_and_lists_of_them_each_once(tmp_path: Path) -> None:
    path = tmp_path / "urls.txt"
    path.write_text("https://a.example/\n\n http://b.example/x?y=1 \r\nhttps://a.example/\n")
    assert urls_of([str(path)]) == ("https://a.example/", "http://b.example/x?y=1")
    assert urls_of(["https://c.example/", str(path), "http://b.example/x?y=1"]) == (
        "https://c.example/", "https://a.example/", "http://b.example/x?y=1"
    )  # fmt: skip


def test_urls_come_from_standard_input_too(monkeypatch: pytest.MonkeyPatch) -> None:
    give(monkeypatch, b"https://a.example/\n")
    assert urls_of(["-", "https://b.example/"]) == ("https://a.example/", "https://b.example/")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"https://a.example/\nmailto:ann@a.example\n", ", line 2: 'mailto:ann@a.example' is no http or https URL"),
        (b"https://\n", ", line 1: 'https://' is no http or https URL"),
        (b"https://a.example:port/\n", ", line 1: 'https://a.example:port/' is no http or https URL"),
        (b"https://a.example/ b\n", ", line 1: 'https://a.example/ b' is no http or https URL"),
        (b"\n\xff\n", ", line 2: is no text; a document goes with --file"),
        (b" \n", ": holds no URL"),
    ],
)
def test_a_bad_line_is_named(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "urls.txt"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        urls_of([str(path)])
    assert str(caught.value) == f"{path}{message}"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("https://", "'https://' is no http"),
        ("HTTPS://", "'HTTPS://' is no http"),
        ("no.txt", "no.txt: not found"),
        ("example.org/eels", "'example.org/eels' is no file; an address begins with https:// or http://"),
        ("www.example.org/eels", "'www.example.org/eels' is no file; an address begins with https:// or http://"),
    ],
)
def test_what_is_no_address_is_refused(given: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        urls_of([given])


def test_documents_have_the_name_of_their_file_and_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "report.txt").write_bytes(folder.encode())
    give(monkeypatch, b"from a pipe")
    found = documents_of([tmp_path / "a" / "report.txt", tmp_path / "b" / "report.txt"], ["pasted", "-"])
    assert found == (
        OwnDocument("file:report.txt", b"a"),
        OwnDocument("file:report.txt (2)", b"b"),
        OwnDocument("text:1", b"pasted"),
        OwnDocument("text:2", b"from a pipe"),
    )


def test_a_document_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no\.pdf: not found"):
        documents_of([tmp_path / "no.pdf"], [])
    large = tmp_path / "large.pdf"
    with large.open("wb") as file:
        file.truncate(MOST_BYTES + 1_000_000)
    with pytest.raises(InputError, match=r"large\.pdf: has 21 MB; at most 20 are read"):
        documents_of([large], [])
    for name in ("bad.docx", "bad.PDF"):
        (tmp_path / name).write_bytes(b"PK junk")
        with pytest.raises(InputError, match=rf"{name}: is no {name[-4:].strip('.')} file"):
            documents_of([tmp_path / name], [])
    with pytest.raises(InputError, match="--text: the text is empty"):
        documents_of([], [" "])
