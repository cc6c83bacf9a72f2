"""A whole page that a browser shows as it was written."""

from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

from src.programs.drawing import as_html
from tests.programs.formats.written import NASTY, hostile

EMPTY = {"meta"}


class Seen(HTMLParser):
    """What is open, and the texts with the elements that they stand in."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.metas: list[dict[str, str | None]] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "meta":
            self.metas.append(dict(attrs))
        else:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.texts.append((self.open[-1], data))


def test_a_page_with_its_charset_in_light_and_dark() -> None:
    page = as_html(hostile())
    assert page.startswith('<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n')
    assert page.count("<html") == page.count("</html>") == page.count("<title>") == 1
    assert "color-scheme: light dark" in page
    assert "Höje" in page


def test_the_page_loads_and_runs_nothing_but_its_own_style() -> None:
    page = as_html(hostile())
    (policy,) = (meta["content"] for meta in Seen(page).metas if meta.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    style = page.partition("<style>")[2].partition("</style>")[0]
    digest = b64encode(sha256(style.encode()).digest()).decode()
    assert set(policy.split("; ")) >= {
        "default-src 'none'", f"style-src 'sha256-{digest}'", "script-src 'none'", "base-uri 'none'",
        "form-action 'none'",
    }  # fmt: skip
    assert page.index("Content-Security-Policy") < page.index("<style>")


def test_what_others_wrote_is_text() -> None:
    seen = Seen(as_html(hostile()))
    assert seen.open == []
    assert ("h2", f"[0] {NASTY}") in seen.texts
    assert seen.texts.count(("strong", f"fact_1 = Verify({NASTY}) -> true")) == 2
    assert seen.texts.count(("blockquote", f"{NASTY} (https://x.example/?a&b)")) == 2
    assert seen.texts.count(("li", f"answer_1 = Question({NASTY}) -> no answer")) == 2
    assert seen.texts.count(("p", f"line 3, ignored-line: {NASTY}")) == 2
    assert "script" not in {place for place, _ in seen.texts}
