"""One page from disk to sentences, whatever it is; the committed store of the sample, byte for byte."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from src.errors import MissingExtra
from src.records import Document
from src.retrieval.pages import reader
from src.retrieval.pages.reader import PageText, Reading, plain_lines, read_page
from src.store import encode_lines
from tests.retrieval.pages.pdf_builder import LINE, image_pdf, text_pdf

URL = "https://a.example/story"
SENTENCES = [
    "The ferry left at a quarter past six with forty passengers, two dogs and a grandfather clock on board.",
    "Half way across the sound the clock struck nine, although nobody had wound it up since the spring of that year.",
]
PAGE = f"<html><head><title>Ferry</title></head><body>{''.join(f'<p>{line}</p>' for line in SENTENCES)}</body></html>"
ARTICLE = {
    "@type": "NewsArticle",
    "headline": "Clock",
    "articleBody": "\n".join(SENTENCES),
    "datePublished": "2023-02-14",
}

GIVEN_AWAY = {(0, 7), (9, 5)}  # claim and row of pages that give the verdict away: not in the sample's store
BROKEN = """The ferry left at a quarter past six with
forty passengers, two dogs and a
grandfather clock on board.

Half way across the sound the clock
struck nine."""


@pytest.fixture
def read(tmp_path: Path) -> Any:
    def read(data: bytes | str, content_type: str = "", name: str = "page", **how: Any) -> PageText:
        path = tmp_path / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return read_page(path, url=URL, content_type=content_type, reading=Reading(**how))

    return read


def test_html(read: Any) -> None:
    assert read(PAGE) == PageText(SENTENCES, "", "text/html", "trafilatura", "utf-8", None)


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-be", "cp1252", "utf-8-sig"])
def test_html_in_other_encodings(read: Any, codec: str) -> None:
    page = PAGE.replace("ferry", "fährboot")
    page_text = read(page.encode(codec), "text/html; charset=utf-8")
    assert page_text.sentences == [SENTENCES[0].replace("ferry", "fährboot"), SENTENCES[1]]


def test_an_xml_declaration_is_no_hindrance(read: Any) -> None:
    page = f'<?xml version="1.0" encoding="iso-8859-1"?>\n{PAGE.replace("ferry", "fährboot")}'
    assert read(page.encode("cp1252")).sentences[0] == SENTENCES[0].replace("ferry", "fährboot")


def test_pdf_whatever_it_is_called(read: Any) -> None:
    pdf = text_pdf(LINE, info="/CreationDate (D:20230214)")
    for name, header in (("a.html", "text/html"), ("a.pdf", "application/pdf"), ("a", "")):
        assert read(pdf, header, name) == PageText([LINE], "", "application/pdf", "pypdfium2", "", "2023-02-14")


def test_html_that_is_called_a_pdf(read: Any) -> None:
    assert read(PAGE, "application/pdf", "a.pdf").extractor == "trafilatura"


def test_plain_text(read: Any) -> None:
    assert read("\n\n".join(SENTENCES), "text/plain") == PageText(SENTENCES, "", "text/plain", "plain text", "utf-8")


def test_json_with_an_article(read: Any) -> None:
    page_text = read(json.dumps(ARTICLE), "application/ld+json")
    assert page_text == PageText(SENTENCES, "", "application/json", "json-ld", "utf-8", "2023-02-14")


def test_json_in_html_counts_where_trafilatura_finds_nothing(read: Any) -> None:
    script = f'<script type="application/ld+json">{json.dumps([[ARTICLE]])}</script>'
    only_json = f"<html><head>{script}</head><body><div id=app></div></body></html>"
    assert read(only_json).sentences == SENTENCES
    other = script.replace("ferry", "balloon")
    assert read(PAGE.replace("</head>", f"{other}</head>")).sentences == SENTENCES


@pytest.mark.parametrize(
    ("data", "reason", "kind"),
    [
        (b"", "empty page", "text/plain"),
        (b"  \n", "empty page", "text/plain"),
        (b"<html><body></body></html>", "no text found", "text/html"),
        (b"<html><body><p>Too short to count.</p></body></html>", "no line of 50 characters", "text/html"),
        (b"Too short to count.", "no line of 50 characters", "text/plain"),
        (b'{"a": 1}', "no text found", "application/json"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "not a page: image/jpeg", "image/jpeg"),
        (b"PK\x03\x04\x14\0", "not a page: application/zip", "application/zip"),
        (bytes(range(256)), "not a page: application/octet-stream", "application/octet-stream"),
        (b"%PDF-1.4 and no more", "damaged PDF: data format error", "application/pdf"),
        (image_pdf(3), "scanned PDF: no text in 3 pages", "application/pdf"),
        (text_pdf(LINE, user_password="x"), "encrypted PDF", "application/pdf"),
        (b"<html><body>" + b"<div>" * 100_000 + SENTENCES[0].encode(), "nested too deeply", "text/html"),
    ],
)
def test_reasons(read: Any, data: bytes, reason: str, kind: str) -> None:
    page_text = read(data)
    assert (page_text.sentences, page_text.reason, page_text.media_type, page_text.extractor) == ([], reason, kind, "")


def test_repeated_sentences_are_dropped_on_request(read: Any) -> None:
    text = "\n\n".join([*SENTENCES, SENTENCES[0]])
    assert read(text).sentences == [*SENTENCES, SENTENCES[0]]
    assert read(text, unique=True).sentences == SENTENCES


def test_dates_are_looked_for_unless_switched_off(read: Any) -> None:
    page = PAGE.replace("<head>", '<head><meta property="article:published_time" content="2023-02-14">')
    assert read(page).date == "2023-02-14"
    assert read(page, dates=False).date is None


def test_text_beyond_the_limit_is_cut_off(read: Any) -> None:
    assert read("\n\n".join(SENTENCES), max_characters=160).sentences == [SENTENCES[0], SENTENCES[1][: 160 - 102]]


def test_invisible_characters_go(read: Any) -> None:
    assert read(PAGE.replace("ferry", "fer\0\u00ad&#x200b;ry")).sentences == SENTENCES


def test_whatever_a_parser_raises_is_a_reason(read: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for raised, reason in (
        (ValueError("no\nsuch \ud800"), "cannot be read: ValueError: no such \\ud800"),
        (RecursionError(), "nested too deeply"),
        (MemoryError(), "not enough memory"),
    ):

        def fails(*_: object, error: Exception = raised) -> list[str]:
            raise error

        monkeypatch.setattr(reader, "html_lines", fails)
        assert read(PAGE).reason == reason


def test_a_file_that_is_not_there_is_a_reason(tmp_path: Path) -> None:
    page_text = read_page(tmp_path / "gone", url=URL, content_type="", reading=Reading())
    assert page_text.reason.startswith("cannot be read: FileNotFoundError")


def test_a_splitter_that_is_not_installed_is_an_error(read: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(spec: str) -> None:
        raise MissingExtra(f"{spec} is not installed")

    monkeypatch.setattr(reader, "splitter", missing)
    with pytest.raises(MissingExtra, match="spacy:x is not installed"):
        read(PAGE, splitter="spacy:x")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=200), start=st.sampled_from([b"", b"<html>", b"%PDF-1.4\n", b'{"a":', b"\xff\xfe"]))
def test_any_bytes_give_sentences_or_a_reason(read: Any, data: bytes, start: bytes) -> None:
    page_text = read(start + data)
    assert bool(page_text.sentences) != bool(page_text.reason)


def test_lines_broken_at_a_margin_are_joined() -> None:
    joined = [
        "The ferry left at a quarter past six with forty passengers, two dogs and a grandfather clock on board.",
        "Half way across the sound the clock struck nine.",
    ]
    assert plain_lines(BROKEN) == joined
    assert plain_lines(BROKEN.replace("\n", "\r\n")) == joined
    assert plain_lines("\n\n" + BROKEN.replace("\n\n", "\n \t\n\n") + "\n") == joined


def test_a_paragraph_a_line_stays_so() -> None:
    lines = ["A long paragraph that goes far beyond any margin. " * 4 + "It ends.", "A short one.", "Another."]
    assert plain_lines("\n".join(lines)) == lines
    assert plain_lines("\n\n".join(lines)) == lines


def test_whole_sentences_a_line_stay_so() -> None:
    lines = ["The first is a sentence.", "The second is one.", "The third too."]
    assert plain_lines("\n".join(lines)) == lines


def test_nothing_has_no_lines() -> None:
    assert plain_lines("") == plain_lines(" \n\t\n") == []


def page_of(folder: Path, row: int, url: str, content_type: str) -> PageText | None:
    for ending in ("html", "pdf"):
        path = folder / f"{row:02d}.{ending}"
        if path.exists():
            return read_page(path, url=url, content_type=content_type, reading=Reading())
    return None


@pytest.mark.parametrize("claim", range(12))
@pytest.mark.parametrize("content_type", ["", "text/html; charset=iso-8859-1"])
def test_the_store_of_a_claim(sample: Path, claim: int, content_type: str) -> None:
    documents = []
    with (sample / "urls" / f"{claim}.tsv").open(encoding="utf-8", newline="") as file:
        for row, (claim_id, kind, url, query) in enumerate(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)):
            page = page_of(sample / "pages" / str(claim), row, url, content_type)
            assert page is None or (page.sentences and page.date)
            text = page.sentences if page and (claim, row) not in GIVEN_AWAY else []
            documents.append(Document(claim_id=claim_id, type=kind, query=query, url=url, url2text=text))
    assert encode_lines(documents) == (sample / "knowledge_store" / f"{claim}.json").read_bytes()
