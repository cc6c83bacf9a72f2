"""URLs from a file instead of a search engine, and the table of providers."""

from pathlib import Path

import pytest

from src.errors import InputError
from src.retrieval.providers import PROVIDERS, SearchQuery, SearchResult, get_provider, lacking, provider_file


def _search(path: Path, text: str, claim_id: int) -> list[str]:
    path.write_text(text, encoding="utf-8")
    provider = get_provider(f"file:{path}")
    assert provider.requests(30) == 0
    return [result.url for result in provider.search(SearchQuery(claim_id, "", results=1))]


LINES = "# pages\nhttps://all.example/1\n\n3\thttps://three.example/a\n3\t https://three.example/b\r\n4\thttp://four.example\n"
RECORDS = (
    '{"claim_id": 3, "urls": ["https://three.example/a", "https://three.example/b"]}\n{"claim_id": 4, "urls": []}\n'
)


@pytest.mark.parametrize(
    ("claim_id", "urls"),
    [
        (3, ["https://three.example/a", "https://three.example/b", "https://all.example/1"]),
        (4, ["http://four.example", "https://all.example/1"]),
        (5, ["https://all.example/1"]),
    ],
)
def test_lines(claim_id: int, urls: list[str], tmp_path: Path) -> None:
    assert _search(tmp_path / "urls.txt", LINES, claim_id) == urls


@pytest.mark.parametrize(("claim_id", "urls"), [(3, ["https://three.example/a", "https://three.example/b"]), (4, [])])
def test_records(claim_id: int, urls: list[str], tmp_path: Path) -> None:
    assert _search(tmp_path / "urls.jsonl", RECORDS, claim_id) == urls


def test_an_empty_file_gives_nothing(tmp_path: Path) -> None:
    assert _search(tmp_path / "urls.txt", "", 0) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("https://a.example\nnot a url\n", "line 2: 'not a url' is no http or https URL"),
        ("ftp://a.example\n", "line 1: 'ftp://a.example' is no http or https URL"),
        ("x\thttps://a.example\n", "line 1: 'x' is no claim id"),
        ("3\tnot a url\n", "line 1: 'not a url' is no http or https URL"),
        ("3 https://a.example\n", "line 1: no tab between claim id and URL"),
        ('{"claim_id": "x", "urls": []}', "line 1, field claim_id: Expected `int`, got `str`"),
        ('{"claim_id": -1, "urls": []}', "line 1, field claim_id: must be at least 0"),
        ('{"claim_id": 1, "urls": ["javascript:x"]}', "line 1: 'javascript:x' is no http or https URL"),
        ('{"claim_id": 1}\n', "line 1, field urls: missing"),
    ],
)
def test_a_line_that_is_no_url_is_named(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        _search(tmp_path / "urls.txt", text, 0)
    assert str(raised.value) == f"{tmp_path / 'urls.txt'}, {message}"


def test_the_file_is_part_of_the_run() -> None:
    assert provider_file("file:some/urls.txt") == {"provider": Path("some/urls.txt")}
    assert provider_file("google") == provider_file("brave@http://127.0.0.1:1/") == {}


@pytest.mark.parametrize("spec", ["", "goggle", "file:", "file", "google:key", "file@http://a.example"])
def test_an_unknown_provider_lists_the_known(spec: str) -> None:
    with pytest.raises(InputError) as raised:
        get_provider(spec)
    assert str(raised.value) == (
        f"unknown provider {spec!r}; known are: wikipedia, gdelt, brave, serper, exa, searxng, google, file:PATH, "
        "factcheck (NAME@BASE_URL for another address; several with commas between them)"
    )


@pytest.mark.parametrize(
    "address", ["foo", "ftp://a", "", "127.0.0.1:8899", "http://", "http:///a", "http://[a", "http://a:x", "http://a:0"]
)
def test_an_address_that_is_none_is_refused_at_once(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError) as raised:
        get_provider(f"google@{address}")
    assert str(raised.value) == f"google: {address!r} is no address, such as http://localhost:8888"
    monkeypatch.setenv("SEARXNG_URL", address or " x")
    with pytest.raises(InputError, match=r"^SEARXNG_URL: .* is no address, such as http"):
        lacking("searxng")
    assert lacking("searxng@http://127.0.0.1:8899") == ""


def test_all_missing_settings_are_named_in_one_message(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (lacking("google"), lacking("file:x")) == ("", "")
    monkeypatch.delenv("GOOGLE_API_KEY")
    monkeypatch.delenv("GOOGLE_CSE_ID")
    assert lacking("google@http://a.example") == (
        "GOOGLE_API_KEY and GOOGLE_CSE_ID are not set; the provider google needs them: "
        "export GOOGLE_API_KEY=... GOOGLE_CSE_ID=..."
    )
    assert lacking("searxng").startswith("SEARXNG_URL is not set; the provider searxng needs it")
    monkeypatch.setenv("BRAVE_API_KEY", "schlüssel")
    with pytest.raises(InputError, match="BRAVE_API_KEY holds characters that cannot be sent"):
        lacking("brave")


@pytest.mark.parametrize("name", sorted(PROVIDERS.keys() - {"file", "factcheck"}))
def test_every_provider_is_made_without_a_key(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in PROVIDERS[name].variables:
        monkeypatch.delenv(variable, raising=False)
    assert 1 <= get_provider(name).requests(30) <= 33
    assert SearchResult("u").date is None
