"""The main text of a page, and nothing around it."""

from pathlib import Path

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


def test_a_page_without_text_has_no_lines() -> None:
    assert html_lines(b"") == []
    assert html_lines(b"<html><body></body></html>") == []


def test_bytes_that_are_no_page_have_no_lines() -> None:
    assert html_lines(bytes(range(256)) * 4) == []


def test_menus_banners_and_footers_of_the_sample_are_left_out(sample: Path) -> None:
    text = " ".join(line for page in sample.glob("pages/*/*.html") for line in html_lines(page.read_bytes()))
    assert "She was sworn in as Prime Minister on 17 January 2022" in text
    for boilerplate in ("cookie", "All rights reserved", "Imprint", "Skip to content", "Most read this week"):
        assert boilerplate not in text
