"""The main text of a page, and nothing around it; the same text as trafilatura's own, sooner."""

import random
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

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
DAMAGE = [
    b"<div class='comments'>",
    b"</div>",
    b"<ul><li>",
    b"\x00",
    b"\xff",
    b"<table>",
    b"<br>",
    b"<o:p a:b=c>",
    b"&#1;",
]
PLAIN = """
import pathlib, sys, trafilatura
for path in sys.argv[1:]:
    print(ascii(trafilatura.extract(pathlib.Path(path).read_bytes()) or ""))
"""


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


def damaged(pages: list[bytes], seed: int) -> bytes:
    """A page with pieces missing, doubled and put in."""
    chance = random.Random(seed)
    page = bytearray(chance.choice(pages))
    for _ in range(chance.randint(1, 30)):
        place = chance.randrange(len(page))
        if chance.random() < 0.5:
            page[place:place] = chance.choice(DAMAGE) * chance.randint(1, 4)
        else:
            page[place : place + chance.randint(1, 99)] = page[(other := chance.randrange(len(page))) : other + 99]
    return bytes(page)


def test_lines_are_those_of_trafilatura_alone(sample: Path, tmp_path: Path) -> None:
    """On pages of the sample and damaged ones; trafilatura alone is another process, since ours changes it in this."""
    assert version("trafilatura") == html_text.RULES_KNOWN
    pages = [page.read_bytes() for page in sorted(sample.glob("pages/*/*.html"))]
    pages += [damaged(pages, seed) for seed in range(150)]
    paths = [tmp_path / f"{number}.html" for number in range(len(pages))]
    for path, page in zip(paths, pages, strict=True):
        path.write_bytes(page)
    done = subprocess.run([sys.executable, "-c", PLAIN, *paths], capture_output=True, text=True, check=True)
    assert [ascii("\n".join(html_lines(page))) for page in pages] == done.stdout.splitlines()


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


def test_a_missing_extractor_says_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resiliparse.extract.html2text", None)
    monkeypatch.setattr(html_text, "_extractor", html_text._extractor.__wrapped__)
    with pytest.raises(MissingExtra, match="resiliparse is not installed; run: pip install resiliparse"):
        html_lines(PAGE, "resiliparse")


@pytest.mark.parametrize("page", [PAGE, PAGE.encode(), PAGE.encode("utf-16")])
def test_resiliparse_finds_the_paragraphs(page: bytes | str) -> None:
    pytest.importorskip("resiliparse")
    assert [line for line in html_lines(page, "resiliparse") if len(line) > 50] == PARAGRAPHS
