"""What is asked for when a URL is written as people and pages write it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from yarl import URL

from src.retrieval.web.failures import FetchFailed
from src.retrieval.web.urls import web_url


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("http://example.org", "http://example.org/"),
        ("  https://Example.ORG/A/b \n", "https://example.org/A/b"),
        ("HTTP://example.org/#part", "http://example.org/"),
        ("http://example.org?q=1#part", "http://example.org/?q=1"),
        ("http://exa\nmple.org/a\tb", "http://example.org/ab"),
        ("http://example.org/a b?c d", "http://example.org/a%20b?c%20d"),
        ("http://example.org/ä?ö=ü", "http://example.org/%C3%A4?%C3%B6=%C3%BC"),
        ("http://example.org/%C3%A4%2F%20?a=%26b+c", "http://example.org/%C3%A4%2F%20?a=%26b+c"),
        ("http://example.org/100%/50%zz", "http://example.org/100%/50%zz"),
        ("http://example.org/a|b[c]'(d);e=f,g~*!$&:@", "http://example.org/a|b[c]'(d);e=f,g~*!$&:@"),
        ("http://example.org/q?url=http://x.y/?z=1&a[]=b", "http://example.org/q?url=http://x.y/?z=1&a[]=b"),
        ('http://example.org/<"a">{b}`^\\', "http://example.org/%3C%22a%22%3E%7Bb%7D%60%5E%5C"),
        ("http://example.org:8080/", "http://example.org:8080/"),
        ("http://example.org:/", "http://example.org/"),
        ("http://user:pass@example.org/", "http://example.org/"),
        ("http://a@b@example.org/", "http://example.org/"),
        ("http://münchen.example/", "http://xn--mnchen-3ya.example/"),
        ("http://xn--mnchen-3ya.example/", "http://xn--mnchen-3ya.example/"),
        ("http://пример.испытание/", "http://xn--e1afmkfd.xn--80akhbyknj4f/"),
        ("http://i❤.ws/", "http://xn--i-7iq.ws/"),
        ("http://under_score.example-.org./", "http://under_score.example-.org./"),
        ("http://2130706433/", "http://127.0.0.1/"),
        ("http://127.0.0.1/", "http://127.0.0.1/"),
        ("http://0x7f.1:80/", "http://127.0.0.1/"),
        ("http://[::FFFF:127.0.0.1]:8080/", "http://[::ffff:7f00:1]:8080/"),
        ("http://example.org/a/../b", "http://example.org/a/../b"),
        ("http://example.org/\udce4", "http://example.org/%E4"),
        ("http://example.org/\ud800", "http://example.org/%ED%A0%80"),
    ],
)
def test_made_fit_for_a_request(written: str, expected: str) -> None:
    url = web_url(written)
    assert str(url) == expected
    assert web_url(expected) == url


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("mailto:a@b.org", "mailto"),
        ("example.org/a", "no scheme"),
        ("//example.org/a", "no scheme"),
        ("http:example.org", "no host"),
        ("http:///a", "no host"),
        ("http://exa mple.org/", "host exa mple.org"),
        ("http://ex%61mple.org/", "host ex%61mple.org"),
        ("http://a..b/", "host a..b"),
        (f"http://{'a' * 64}.org/", f"host {'a' * 64}.org"),
        ("http://256.256.256.256/", "256.256.256.256 is no IPv4 address"),
        ("http://[::1/", "Invalid IPv6 URL"),
        ("http://[fe80::1%25eth0]/", "fe80::1%25eth0 names a network interface"),
        ("http://example.org:99999/", "Port out of range 0-65535"),
        ("http://example.org:port/", "Port could not be cast to integer value as 'port'"),
    ],
)
def test_none_of_the_web(written: str, reason: str) -> None:
    with pytest.raises(FetchFailed) as caught:
        web_url(written)
    assert caught.value.reason == f"not a web address: {reason}"
    assert not caught.value.transient


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("/c", "https://example.org/c"),
        ("c?d", "https://example.org/a/c?d"),
        ("../c", "https://example.org/c"),
        ("?x", "https://example.org/a/b?x"),
        ("//other.org", "https://other.org/"),
        ("http://other.org/d", "http://other.org/d"),
        ("#here", "https://example.org/a/b?q=1"),
        (" /c d ", "https://example.org/c%20d"),
    ],
)
def test_where_a_redirect_leads(location: str, expected: str) -> None:
    assert str(web_url(location, base=web_url("https://example.org/a/b?q=1"))) == expected


@given(st.text())
def test_no_text_breaks_it(text: str) -> None:
    for written in (text, f"http://{text}", f"http://example.org/{text}", f"http://example.org/?{text}"):
        address, reason = outcome(written)
        assert bool(address) != bool(reason)
        assert address.isascii()
        assert address.isprintable()
        assert " " not in address
        assert address == "" or outcome(address) == (address, "")
        assert len(reason) < 120


def outcome(written: str) -> tuple[str, str]:
    """The URL asked for, or the reason why none is."""
    try:
        return str(web_url(written)), ""
    except FetchFailed as failure:
        return "", failure.reason


@given(st.text(alphabet="abcXYZ019-._~!$&'()*+,;=:@/%[]|"), st.text(alphabet="abcXYZ019-._~!$&'()*+,;=:@/%?[]|"))
def test_what_is_legal_stays_as_it_is(path: str, query: str) -> None:
    written = f"https://example.org/{path}?q{query}"
    assert str(web_url(written)) == written
    assert URL(written, encoded=True) == web_url(written)
