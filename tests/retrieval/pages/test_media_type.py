"""The type of a page by its bytes."""

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.retrieval.pages.media_type import is_markup, media_type

HTML_PAGE = "<!DOCTYPE html><html><head><title>A</title></head><body><p>Text</p></body></html>"


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"%PDF-1.4\n", "application/pdf"),
        (b"\xef\xbb\xbf \n%PDF-1.4\n", "application/pdf"),
        (b"HTTP/1.1 200 OK\r\nServer: x\r\n\r\n%PDF-1.4\n", "application/pdf"),
        (b"<html><body>All PDFs begin with %PDF-1.4</body></html>", "text/html"),
        (HTML_PAGE.encode(), "text/html"),
        (HTML_PAGE.encode("utf-16"), "text/html"),
        (HTML_PAGE.encode("utf-16-be"), "text/html"),
        (b"\xef\xbb\xbf\r\n" + HTML_PAGE.encode(), "text/html"),
        (b"<!-- a page\n of ours --> <!-- --> <HTML lang=en>", "text/html"),
        (b'<?xml version="1.0"?><!DOCTYPE html PUBLIC "x"><html xmlns="http://www.w3.org/1999/xhtml">', "text/html"),
        (b'<?xml version="1.0"?>\n<rss version="2.0">', "application/rss+xml"),
        (b'<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom">', "application/atom+xml"),
        (b'<?xml version="1.0"?><rdf:RDF xmlns="http://purl.org/rss/1.0/">', "application/rss+xml"),
        (b'<?xml version="1.0"?><urlset>', "application/xml"),
        (b'<svg xmlns="http://www.w3.org/2000/svg">', "image/svg+xml"),
        (b'{"@type": "NewsArticle"}', "application/json"),
        (b'[{"a": 1}]', "application/json"),
        (b"Plain words, nothing else.", "text/plain"),
        (b"BMW and ID3 are no pictures and no music.", "text/plain"),
        (b"\x89PNG\r\n\x1a\n\0\0", "image/png"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "image/jpeg"),
        (b"RIFF\x10\0\0\0WEBPVP8 ", "image/webp"),
        (b"\0\0\0\x1cftypavif", "image/avif"),
        (b"\0\0\0\x18ftypmp42", "video/mp4"),
        (b"ID3\x04\0\0\0\0\0\0", "audio/mpeg"),
        (b"PK\x03\x04\x14\0", "application/zip"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
        (b"\x1f\x8b\x08\0", "application/gzip"),
        (bytes(range(256)) * 4, "application/octet-stream"),
        (zlib.compress(bytes(range(256)) * 9), "application/octet-stream"),
    ],
)
def test_the_content_decides(data: bytes, kind: str) -> None:
    for header in ("", "text/html; charset=utf-8", "application/pdf", "image/png", "Nonsense"):
        expected = {"text/plain": "text/html"} if header.startswith("text/html") else {}
        assert media_type(data, header) == expected.get(kind, kind) or kind == "application/json"
    assert media_type(data, "") == kind


@pytest.mark.parametrize(
    ("data", "header", "kind"),
    [
        (b"Words without a tag.", "text/html", "text/html"),
        (b"Words without a tag.", "Text/HTML;charset=x", "text/html"),
        (b"<p>A paragraph</p>", "", "text/html"),
        (b"<p>A paragraph</p>", "text/plain", "text/plain"),
        (b"Warning: line 3\n<html><body>", "", "text/html"),
        (b"Warning: line 3\n<html><body>", "text/plain", "text/plain"),
        (b"<!doctype html><p>A page", "text/plain", "text/html"),
        (b'{"a": 1}', "text/html", "text/html"),
        (b"<urlset>", "text/xml", "application/xml"),
        (b"body { color: red }", "text/css", "text/css"),
        (b"var a = '<html>';", "application/javascript", "application/javascript"),
        (b"a,b\n1,2\n", "text/csv", "text/plain"),
    ],
)
def test_the_header_decides_between_kinds_of_text(data: bytes, header: str, kind: str) -> None:
    assert media_type(data, header) == kind


def test_what_is_read_as_html() -> None:
    assert all(map(is_markup, ["text/html", "application/xml", "application/rss+xml"]))
    assert not any(map(is_markup, ["image/svg+xml", "text/plain", "application/pdf", "application/json"]))


def test_thousands_of_comments_are_no_trap() -> None:
    assert media_type(b"<!-- -->" * 2000, "") == "text/plain"


@given(data=st.binary(max_size=300), header=st.text(max_size=30))
def test_any_bytes_have_a_type(data: bytes, header: str) -> None:
    assert media_type(data, header)
