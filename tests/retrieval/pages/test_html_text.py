"""The main text of a page without its surroundings: trafilatura's own text."""

import sys
from pathlib import Path

import pytest
import trafilatura
from trafilatura.meta import reset_caches

from src.errors import InputError, MissingExtra
from src.retrieval.pages import html_text
from src.retrieval.pages.html_text import html_lines

PARAGRAPHS = [
    "The ferry left at a quarter past six with forty passengers, two dogs and a grandfather clock on board.",
    "Half way across the sound the clock struck nine, although it had not been wound up since the spring.",
    "The captain entered the matter in the log, between the wind and the price of a cup of tea in the saloon.",
]
PAGE = f"""<!DOCTYPE html><html><head><title>Ferry</title></head><body>
<nav><ul><li><a href="/">Home</a></li><li><a href="/weather">Weather</a></li></ul></nav>
<div class="cookie-consent"><p>We use cookies to show you advertisements for clocks and for watches.</p></div>
<article><h1>A clock at sea</h1>{"".join(f"<p>{text}</p>" for text in PARAGRAPHS)}</article>
<footer><p>All rights reserved by the owners of this newspaper and their heirs for ever.</p></footer>
</body></html>"""


def test_paragraphs_come_in_order_one_a_line() -> None:
    assert [line for line in html_lines(PAGE.encode()) if len(line) > 50] == PARAGRAPHS


def test_decoded_pages_give_the_lines_of_their_bytes() -> None:
    assert html_lines(PAGE) == html_lines(PAGE.encode())


def test_a_page_without_text_has_no_lines() -> None:
    assert html_lines(b"") == []
    assert html_lines("") == []
    assert html_lines(b"<html><body></body></html>") == []


def test_bytes_that_are_no_page_have_no_lines() -> None:
    assert html_lines(bytes(range(256)) * 4) == []


def test_menus_banners_and_footers_of_the_sample_are_left_out(sample: Path) -> None:
    text = " ".join(line for page in sample.glob("pages/*/*.html") for line in html_lines(page.read_bytes()))
    assert "She was sworn in as Prime Minister on 17 January 2022" in text
    for boilerplate in ("cookie", "All rights reserved", "Imprint", "Skip to content", "Most read this week"):
        assert boilerplate not in text


def test_lines_are_those_of_trafilatura_with_empty_caches(sample: Path) -> None:
    pages = [page.read_bytes() for page in sorted(sample.glob("pages/*/*.html"))[::6]]
    assert len(pages) > 8
    ours = [html_lines(page) for page in pages]
    for page, lines in zip(pages, ours, strict=True):
        reset_caches()
        assert "\n".join(lines) == (trafilatura.extract(page) or "")


def test_caches_are_emptied_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    from trafilatura.utils import trim

    monkeypatch.setattr(html_text, "PAGES_BETWEEN_RESETS", 3)
    sizes = []
    for _ in range(6):
        html_lines(PAGE)
        sizes.append(trim.cache_info().currsize)
    assert sizes.count(0) == 2


def test_an_unknown_extractor_is_refused_with_those_that_exist() -> None:
    with pytest.raises(InputError, match="extractor 'boilerpipe' is not known; it is one of trafilatura, resiliparse"):
        html_lines(PAGE, "boilerpipe")


def test_the_error_for_a_missing_extractor_has_the_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resiliparse.extract.html2text", None)
    monkeypatch.setattr(html_text, "_extractor", html_text._extractor.__wrapped__)
    with pytest.raises(MissingExtra, match="resiliparse is not installed; run: pip install resiliparse"):
        html_lines(PAGE, "resiliparse")


@pytest.mark.parametrize("page", [PAGE, PAGE.encode(), PAGE.encode("utf-16")])
def test_resiliparse_finds_the_paragraphs(page: bytes | str) -> None:
    pytest.importorskip("resiliparse")
    assert [line for line in html_lines(page, "resiliparse") if len(line) > 50] == PARAGRAPHS
