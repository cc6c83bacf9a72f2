"""The user's own list of sites and pages to refuse."""

from pathlib import Path

import pytest

from src.canonical_url import page_addresses
from src.errors import InputError
from src.retrieval.leakage import Exclusions

FILE = """# fact-checkers
snopes.com            # and all below
www.factcheck.example/
*.wild.example

https://news.example/opinion
news.example/story?id=7
127.0.0.1:8080
m.social.example
https://web.archive.org/web/2020/https://old.example/page
"""


def _exclusions(folder: Path, text: str) -> Exclusions:
    path = folder / "bad_urls.txt"
    path.write_text(text, encoding="utf-8")
    return Exclusions(path)


@pytest.mark.parametrize(
    ("url", "line"),
    [
        ("https://snopes.com", 2),
        ("http://www.snopes.com/fact-check/a/", 2),
        ("https://media.snopes.com:8443/a", 2),
        ("https://web.archive.org/web/2020/https://www.snopes.com/a", 2),
        ("https://factcheck.example/a", 3),
        ("https://sub.wild.example/", 4),
        ("http://www.news.example/opinion/", 6),
        ("https://m.news.example/opinion/2020/a?b=1", 6),
        ("https://news.example/story?lang=en&id=7", 7),
        ("http://127.0.0.1:8080/a", 8),
        ("https://m.social.example/a", 9),
        ("http://old.example/page", 10),
        ("https://notsnopes.com/a", None),
        ("https://snopes.com.example/", None),
        ("https://news.example/opinions", None),
        ("https://news.example/", None),
        ("https://news.example/story?id=8", None),
        ("http://127.0.0.1/a", None),
        ("https://social.example/a", None),
        ("https://a.example/?u=https://snopes.com/a", None),
        ("no url", None),
    ],
)
def test_the_line_that_refuses(url: str, line: int | None, tmp_path: Path) -> None:
    assert _exclusions(tmp_path, FILE).line_against(page_addresses(url)) == line


@pytest.mark.parametrize("line", ["two words", "http://", "http://[::1"])
def test_a_line_that_is_no_address(line: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        _exclusions(tmp_path, f"a.example\n{line}\n")
    assert str(raised.value) == f"{tmp_path / 'bad_urls.txt'}, line 2: {line!r} is neither a host nor a URL"


def test_an_archive_can_be_excluded_as_such(tmp_path: Path) -> None:
    exclusions = _exclusions(tmp_path, "web.archive.org\n")
    assert exclusions.line_against(page_addresses("https://web.archive.org/web/2020/https://a.example")) == 1


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not found"):
        Exclusions(tmp_path / "none.txt")
