"""What may not be evidence for a claim."""

import json
from collections import defaultdict
from datetime import date
from pathlib import Path

import pytest

from src.canonical_url import PageAddress, page_addresses
from src.errors import InputError
from src.knowledge_store import KnowledgeStore
from src.retrieval.leakage import (
    OWN_ARTICLE,
    Leakage,
    LeakageSettings,
    read_day,
    read_leakage,
)
from src.store import read_claims

ARTICLE = "https://web.archive.org/web/20201130144023/https://checker.example/2020/11/03/no-such-letter/"


@pytest.fixture
def claim_file(tmp_path: Path) -> Path:
    claims = [
        {"claim": "a", "claim_date": "31-10-2020", "fact_checking_article": ARTICLE},
        {"claim": "b", "claim_date": "1-2-2020", "fact_checking_article": "https://checker.example/b"},
        {"claim": "c", "claim_date": None, "fact_checking_article": None},
        {"claim": "d", "claim_date": "some day", "fact_checking_article": ""},
    ]
    path = tmp_path / "claims.json"
    path.write_text(json.dumps(claims), encoding="utf-8")
    return path


def test_each_claim_has_its_own_article(claim_file: Path) -> None:
    leakage = read_leakage(claim_file, None)
    assert leakage.of_url(0, "http://www.checker.example/2020/11/03/no-such-letter") == OWN_ARTICLE
    assert leakage.of_url(0, ARTICLE) == OWN_ARTICLE
    assert leakage.of_url(1, ARTICLE) == ""
    assert leakage.of_url(1, "https://checker.example/b") == OWN_ARTICLE
    assert leakage.of_url(0, "https://checker.example/2020/11/03/another-letter") == ""
    assert [leakage.of_url(claim_id, ARTICLE) for claim_id in (2, 3, 99)] == ["", "", ""]


@pytest.mark.parametrize(
    ("claim_id", "page", "reason"),
    [
        (0, "2020-11-01", "dated 2020-11-01, after the claim (2020-10-31)"),
        (1, "2020-02-02", "dated 2020-02-02, after the claim (2020-02-01)"),
        (0, "2020-10-31", ""),
        (0, "2020-10-30", ""),
        (0, None, ""),
        (0, "", ""),
        (0, "2021", ""),
        (2, "2030-01-01", ""),
        (3, "2030-01-01", ""),
        (99, "2030-01-01", ""),
    ],
)
def test_pages_later_than_the_claim(claim_id: int, page: str | None, reason: str, claim_file: Path) -> None:
    assert read_leakage(claim_file, None).of_date(claim_id, page) == reason


def test_what_could_not_be_filtered_is_said(claim_file: Path) -> None:
    assert read_leakage(claim_file, None).notes() == [
        "2 of 4 claims name no fact-checking article that could be refused",
        "1 of 4 claims have no date: no page of theirs is too late",
        "1 of 4 claims have a date that cannot be read: no page of theirs is too late",
    ]


def test_notes_are_about_the_claims_of_the_run(claim_file: Path, tmp_path: Path) -> None:
    leakage = read_leakage(claim_file, None)
    assert leakage.notes([0, 1]) == []
    assert leakage.notes([1, 2]) == [
        "1 of 2 claims name no fact-checking article that could be refused",
        "1 of 2 claims have no date: no page of theirs is too late",
    ]
    assert leakage.notes([2])[1] == "the claim has no date: no page is too late"
    assert leakage.notes([0, 5, 9, 7, 8]) == [f"claims 5, 7-9 are not in {claim_file}: nothing of them was filtered"]
    assert leakage.notes([4]) == [f"claim 4 is not in {claim_file}: nothing of it was filtered"]
    bad = tmp_path / "bad.txt"
    bad.write_text("snopes.com\n", encoding="utf-8")
    assert read_leakage(claim_file, bad).notes([4]) == [f"claim 4 is not in {claim_file}: only bad.txt was applied"]
    assert len(read_leakage(None, None).notes([4])) == 1


def test_the_rules_of_a_claim_can_be_compared(claim_file: Path) -> None:
    leakage = read_leakage(claim_file, None)
    article = "checker.example/2020/11/03/no-such-letter"
    assert leakage.rules(0) == {"fact_checking_article": article, "claim_date": "2020-10-31"}
    assert leakage.rules(2) == leakage.rules(99) == {"fact_checking_article": None, "claim_date": None}


def test_each_filter_can_be_switched_off(claim_file: Path) -> None:
    leakage = read_leakage(claim_file, None, keep_fact_check=True, keep_later_pages=True)
    assert leakage.of_url(0, ARTICLE) == ""
    assert leakage.of_date(0, "2021-01-01") == ""
    assert leakage.notes() == ["fact-checking articles were kept", "pages later than their claim were kept"]


def test_without_claims_nothing_is_filtered_and_that_is_said() -> None:
    leakage = read_leakage(None, None)
    assert (leakage.of_url(0, ARTICLE), leakage.of_date(0, "2030-01-01")) == ("", "")
    assert leakage.notes() == [
        "nothing was filtered: without --claim_file the claims' fact-checking articles and dates are not known"
    ]
    assert Leakage().notes() == []


def test_excluded_urls_are_refused_with_and_without_claims(claim_file: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad_urls.txt"
    bad.write_text("# mine\n\nsnopes.com\n", encoding="utf-8")
    for claims in (claim_file, None):
        leakage = read_leakage(claims, bad)
        assert leakage.of_url(0, "https://www.snopes.com/a") == "excluded by bad_urls.txt, line 3"
        assert leakage.of_url(0, "https://a.example") == ""
    assert read_leakage(None, bad).notes()[0].startswith("only bad_urls.txt was applied:")


def test_a_complete_claim_file_leaves_nothing_to_say(sample: Path) -> None:
    assert not [note for note in read_leakage(sample / "claims.json", None).notes() if "cannot be read" in note]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("31-10-2020", date(2020, 10, 31)),
        ("1-2-2020", date(2020, 2, 1)),
        (" 01/02/2020 ", date(2020, 2, 1)),
        ("2020-10-31", date(2020, 10, 31)),
        ("2020-10-31T23:59:00Z", date(2020, 10, 31)),
        ("31-2-2020", None),
        ("0-0-0000", None),
        ("31-10-20", None),
        ("October 2020", None),
        ("2020-10", None),
        ("", None),
        (None, None),
    ],
)
def test_days_as_claims_and_pages_write_them(text: str | None, day: date | None) -> None:
    assert read_day(text) == day


def test_the_settings(claim_file: Path, tmp_path: Path) -> None:
    assert LeakageSettings().filters(None).notes() == read_leakage(None, None).notes()
    bad = tmp_path / "bad.txt"
    bad.write_text("snopes.com\n", encoding="utf-8")
    rules = LeakageSettings(exclude_urls=bad, keep_fact_check=True, keep_later_pages=True)
    leakage = rules.filters(claim_file)
    assert (leakage.articles, leakage.days) == ({}, {})
    assert leakage.of_url(0, "http://snopes.com") == "excluded by bad.txt, line 1"
    with pytest.raises(InputError, match="not found"):
        LeakageSettings().filters(Path("nowhere.json"))


def test_no_article_of_the_published_claims_is_taken_for_another(shared_data: Path) -> None:
    """2,368 URLs, all snapshots in the Internet Archive; one article stands there in two folders of its site."""
    of_host: dict[str, set[PageAddress]] = defaultdict(set)
    for split in ("dev", "train"):
        for claim in read_claims(shared_data / "averitec" / f"{split}.json"):
            archive, article = page_addresses(claim.fact_checking_article or "")
            assert archive.host == "web.archive.org"
            of_host[article.host].add(article)
    pairs = [(one, other) for articles in of_host.values() for one in articles for other in articles if one != other]
    assert len(pairs) > 300_000
    assert {one.path for one, other in pairs if one.is_article(other)} == {
        "en/factcheck/2020/06/18/did-north-korea-blow-up-the-office-used-for-south-korea-talks",
        "factcheck/2020/06/18/did-north-korea-blow-up-the-office-used-for-south-korea-talks",
    }


def test_in_the_published_store_exactly_the_own_articles_are_refused(shared_data: Path) -> None:
    """28 claims of the sample of the dev store have their article in it, by an index made without this code.

    Three more URLs are the article in another folder of its site.
    """
    folder = shared_data / "averitec"
    leakage = read_leakage(folder / "dev.json", None)
    store = KnowledgeStore(folder / "knowledge_store" / "dev")
    index = (folder / "knowledge_store" / "dev_index.jsonl").read_text("utf-8").splitlines()
    known = {entry["claim_id"] for entry in map(json.loads, index) if entry["fact_checking_article_in_store"]}
    refused = [
        (claim_id, page.url)
        for claim_id in range(500)
        for page in store[claim_id]
        if leakage.of_url(claim_id, page.url)
    ]
    elsewhere = [(claim_id, url) for claim_id, url in refused if "app-lite" in url or claim_id == 230]
    assert leakage.notes() == []
    assert {claim_id for claim_id, _ in refused} - {230} == known
    assert (len(known), len(refused), len(elsewhere)) == (28, 31, 3)
