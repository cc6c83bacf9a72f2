"""Canonical URLs: two URLs of one page, and two pages whose URLs only look alike."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.canonical_url import PageAddress, page_addresses, web_address

ARTICLE = "https://checkyourfact.com/2020/11/03/fact-check-sean-connery-letter/"
SAME = [
    "http://checkyourfact.com/2020/11/03/fact-check-sean-connery-letter",
    "checkyourfact.com/2020/11/03/fact-check-sean-connery-letter",
    "//checkyourfact.com/2020/11/03/fact-check-sean-connery-letter",
    "  HTTPS://WWW.CheckYourFact.com.:443/2020/11/03/fact-check-sean-connery-letter/#comments ",
    "https://reader:secret@m.checkyourfact.com//2020/11/03/fact%2dcheck%2Dsean-connery-letter//",
    "https://amp.checkyourfact.com/2020/11/03/fact-check-sean-connery-letter/amp/",
    "https://checkyourfact.com/amp/2020/11/03/fact-check-sean-connery-letter",
    "https://checkyourfact.com/2020/11/03/fact-check-sean-connery-letter.amp",
    f"{ARTICLE}?utm_source=feed&utm_medium=social&fbclid=IwAR0&gclid=1",
    f"{ARTICLE}?page=2&print=1",
    f"https://web.archive.org/web/20201130144023/{ARTICLE}",
    f"http://web.archive.org/web/20200101000000*/{ARTICLE}",
    f"https://web.archive.org/web/20201130144023id_/{ARTICLE}",
    f"https://web.archive.org/web/2020if_/{ARTICLE}?utm_source=feed",
    f"https://web.archive.org/web/*/{ARTICLE}",
    f"https://web.archive.org/web/{ARTICLE}",
    f"https://web.archive.org:80/save/{ARTICLE}",
    "https://web.archive.org/web/20201130144023/checkyourfact.com/2020/11/03/fact-check-sean-connery-letter/",
    "https://web.archive.org/web/20201130144023/http:/checkyourfact.com/2020/11/03/fact-check-sean-connery-letter/",
    "https://web.archive.org/web/2020/https%3A%2F%2Fcheckyourfact.com%2F2020%2F11%2F03%2Ffact-check-sean-connery-letter",
    f"https://archive.ph/{ARTICLE}",
    f"https://archive.is/20201130144023/{ARTICLE}",
    f"https://archive.today/2020.11.30-144023/{ARTICLE}",
    f"http://archive.md/newest/{ARTICLE}",
    f"https://archive.ph/?run=1&url={ARTICLE}",
    f"https://web.archive.org/web/2021/https://archive.is/2020/{ARTICLE}",
    f"https://webcache.googleusercontent.com/search?q=cache:AbCdEf123_-x:{ARTICLE}+sean+connery&hl=en",
    "https://webcache.googleusercontent.com/search?q=cache:checkyourfact.com/2020/11/03/fact-check-sean-connery-letter",
    "https://www.google.com/amp/s/checkyourfact.com/2020/11/03/fact-check-sean-connery-letter/amp/",
    "https://checkyourfact-com.cdn.ampproject.org/c/s/checkyourfact.com/2020/11/03/fact-check-sean-connery-letter",
    "https://checkyourfact-com.translate.goog/2020/11/03/fact-check-sean-connery-letter/?_x_tr_sl=en&_x_tr_tl=fr",
    f"https://translate.google.com/translate?sl=en&u={ARTICLE}",
    f"https://www.google.co.uk/url?sa=t&url={ARTICLE}",
    f"https://l.facebook.com/l.php?u={ARTICLE.replace(':', '%3A').replace('/', '%2F')}",
    "https://checkyourfact.com/app-lite/2020/11/03/fact-check-sean-connery-letter",
    "https://checkyourfact.com/fact-check-sean-connery-letter",
]
OTHERS = [
    "https://checkyourfact.com/",
    "https://checkyourfact.com/2020/11/03/",
    "https://checkyourfact.com/2020/11/03/fact-check-sean-connery-letter-2/",
    "https://checkyourfact.com/2020/11/03/fact-check-sean-connery-letter/comments",
    "https://checkyourfact.com/2020/11/04/fact-check-sean-connery-letter/",
    "https://checkyourfact.com/2020/11/03/fact-check-roger-moore-letter/",
    "https://notcheckyourfact.com/2020/11/03/fact-check-sean-connery-letter/",
    "https://checkyourfact.com.example/2020/11/03/fact-check-sean-connery-letter/",
    "https://checkyourfact.com:8443/2020/11/03/fact-check-sean-connery-letter/",
    "https://www.snopes.com/fact-check/false-sean-connery-letter-to-apple/",
    "https://web.archive.org/web/20201130144023/https://checkyourfact.com/",
    "https://web.archive.org/details/fact-check-sean-connery-letter",
    "https://archive.ph/AbCdE",
    f"https://twitter.example/share?url={ARTICLE}",
    f"https://www.google.com/search?q={ARTICLE.replace('https://', '')}",
]


def _is_article(article: str, page: str) -> bool:
    innermost = page_addresses(article)[-1]
    return any(innermost.is_article(address) for address in page_addresses(page))


@pytest.mark.parametrize("page", SAME)
def test_the_same_page(page: str) -> None:
    assert _is_article(ARTICLE, page)
    assert _is_article(f"https://web.archive.org/web/20201130144023/{ARTICLE}", page)


@pytest.mark.parametrize("page", OTHERS)
def test_another_page(page: str) -> None:
    assert not _is_article(ARTICLE, page)


@pytest.mark.parametrize(
    ("article", "page", "same"),
    [
        ("https://a.example/story?id=7", "https://a.example/story?lang=en&id=7", True),
        ("https://a.example/story?id=7", "https://a.example/story?id=8", False),
        ("https://a.example/story?id=7", "https://a.example/story", False),
        ("https://a.example/story?id=7&utm_source=x", "https://a.example/story?id=7", True),
        ("https://a.example/", "https://a.example/?p=3", False),
        ("https://a.example/?p=3", "http://www.a.example?p=3&fbclid=1", True),
        ("https://a.example/amp", "https://a.example/", False),
        ("https://a.example/2020/11/09/this-week-in-checks", "https://a.example/2020/11/02/this-week-in-checks", False),
        ("https://a.example/short", "https://a.example/en/short", False),
        ("https://bücher.example/a", "https://xn--bcher-kva.example/a", True),
        ("https://a.example/%E0%A4%85", "https://a.example/अ", True),
        ("https://a.example/a.amp.html", "https://a.example/a.html", True),
    ],
)
def test_parameters_folders_and_alphabets(article: str, page: str, same: bool) -> None:
    assert _is_article(article, page) is same


@pytest.mark.parametrize(
    "text", ["", "   ", "http://", "https://[::1", "http://a.example:port/", "/", "http://a.example:0/"]
)
def test_what_is_no_url_has_no_address(text: str) -> None:
    assert page_addresses(text) == []


@pytest.mark.parametrize("text", ["https://a.example/", "HTTP://a.example/", " Https://a.example/\n"])
def test_a_web_address_begins_with_http_or_https_in_any_case(text: str) -> None:
    assert web_address(text) == text.strip()
    assert web_address(f"x{text}") == ""


@pytest.mark.parametrize(
    "text", ["", "http:a", "httpx://a", "javascript:http://a.example/", "file:a", "ftp://a.example"]
)
def test_other_texts_are_no_web_addresses(text: str) -> None:
    assert web_address(text) == ""


def test_every_layer_has_an_address_and_layers_end() -> None:
    url = "https://web.archive.org/web/2020/https://a.example/x"
    assert [address.host for address in page_addresses(url)] == ["web.archive.org", "a.example"]
    assert len(page_addresses("https://web.archive.org/web/2020/" * 50 + "https://a.example")) == 4


def test_an_address_keeps_the_server_as_written() -> None:
    assert page_addresses("http://www.m.Example.com:8080/A/?b=1#c") == [
        PageAddress("www.m.example.com:8080", "example.com:8080", "A", frozenset({"b=1"}))
    ]


@given(st.text())
def test_no_text_is_too_strange(text: str) -> None:
    for address in page_addresses(text) + page_addresses(f"https://web.archive.org/web/2020/{text}"):
        assert address.leads_to(address)
        assert address.is_article(address)
