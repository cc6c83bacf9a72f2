"""What cannot be checked is refused in one line, before any model is loaded."""

import json
import re
from pathlib import Path

import pytest

from src.check.asking import TWO_WORDS, claim_of
from src.check.records import CheckRequest, Sources
from src.errors import InputError

WEB = Sources(urls=("https://a.example/",))


def test_the_claim_as_the_steps_know_it() -> None:
    claim = claim_of(CheckRequest(" Eels\n swim. ", WEB, "31-10-2020", "Ann"))
    assert (claim.claim, claim.claim_id, claim.claim_date, claim.speaker) == ("Eels swim.", 0, "31-10-2020", "Ann")


@pytest.mark.parametrize("text", ["31-10-2020", "2020-10-31", " 31-10-2020 "])
def test_both_ways_to_write_a_day(text: str) -> None:
    assert claim_of(CheckRequest("Eels swim.", WEB, text)).claim_date == "31-10-2020"


@pytest.mark.parametrize(
    ("check_request", "message"),
    [
        (CheckRequest(" \n", WEB), "the claim is empty"),
        (CheckRequest("Do eels swim?", WEB), "the claim is a question; put it as a statement"),
        (CheckRequest("asdf", WEB), "the claim has fewer than two words; a claim is a sentence that says something"),
        (CheckRequest("Eels!", WEB), "the claim has fewer than two words"),
        (CheckRequest("- _ !", WEB), "the claim has fewer than two words"),
        (CheckRequest("a " * 2001, WEB), "the claim has 4001 characters"),
        (CheckRequest("Eels swim.", WEB, date="31-31-2020"), "field date: '31-31-2020' is no day, such as"),
        (CheckRequest("Eels swim.", WEB, date="1-1-2999"), "field date: '1-1-2999' lies in the future"),
        (CheckRequest("Eels swim.", WEB, top_n=0), "field top_n: 0 is not at least 1"),
        (CheckRequest("Eels swim.", Sources()), "no source of pages; give URLs"),
        (
            CheckRequest("Eels swim.", Sources(urls=WEB.urls, knowledge_store=Path("0.json"))),
            "a knowledge store is used alone",
        ),
        (
            CheckRequest("Eels swim.", Sources(urls=("https://a.example/", "ftp://a.example/"))),
            "field urls[1]: 'ftp://",
        ),
        (CheckRequest("Eels swim.", Sources(search="altavista")), "unknown provider 'altavista'"),
        (CheckRequest("Eels swim.", Sources(knowledge_store=Path("no/such.json"))), "no/such.json: not found"),
    ],
)
def test_what_cannot_be_checked(check_request: CheckRequest, message: str) -> None:
    with pytest.raises(InputError) as caught:
        claim_of(check_request)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("text", ["Eels swim", "Snow is white.", "部长将税收降低了百分之十。", "Снег бел."])
def test_two_words_may_be_a_claim_and_some_languages_have_no_spaces(text: str) -> None:
    assert claim_of(CheckRequest(text, WEB)).claim == text


def test_claims_of_averitec_are_claims(shared_data: Path) -> None:
    for name in ("train", "dev"):
        claims = json.loads((shared_data / "averitec" / f"{name}.json").read_bytes())
        texts = [claim["claim"] for claim in claims if claim["claim"]]
        assert [text for text in texts if not re.search(TWO_WORDS, text)] == []


def test_a_damaged_store_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "4.json"
    path.write_text('{"url": "https://a.example/", "url2text": []}\n{"url": "https://b.example/", "url2text": [7]}\n')
    with pytest.raises(InputError) as caught:
        claim_of(CheckRequest("Eels swim.", Sources(knowledge_store=path)))
    assert str(caught.value).startswith(f"{path}, line 2, field url2text")


def test_the_path_may_be_a_string_and_urls_may_not() -> None:
    assert Sources(knowledge_store="store/0.json").knowledge_store == Path("store/0.json")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="field urls: must be a list of URLs, not a string"):
        Sources("https://a.example/")  # type: ignore[arg-type]
