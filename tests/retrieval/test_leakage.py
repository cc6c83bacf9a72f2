"""Pages that may not be evidence for a claim: by address, by redirect, by date, by the user's own list."""

import json
from collections import defaultdict
from datetime import date
from pathlib import Path

import pytest

from src.canonical_url import PageAddress, page_addresses
from src.errors import InputError, StoreError
from src.knowledge_store import KnowledgeStore
from src.records import Claim, Document
from src.retrieval.leakage import (
    OWN_ARTICLE,
    Exclusions,
    Leakage,
    LeakageSettings,
    read_day,
    read_leakage,
    refused_pages,
    without_dates,
)
from src.retrieval.scraping.page_log import PageLog
from src.store import encode_lines, encode_list, read_claims

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


def test_claims_that_cannot_be_filtered_are_counted_in_notes(claim_file: Path) -> None:
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


def test_without_claims_nothing_is_filtered_and_a_note_says_so() -> None:
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


LISTED = """# fact-checkers
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
    assert _exclusions(tmp_path, LISTED).line_against(page_addresses(url)) == line


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


OWN_PAGE = "https://checker.example/2020/11/03/no-such-letter/"
CLAIMS = [Claim("a", 0, claim_date="31-10-2020", fact_checking_article=OWN_PAGE), Claim("b", 1)]
URLS = [
    "https://news.example/early",
    OWN_PAGE,
    f"https://web.archive.org/web/2020id_/{OWN_PAGE}",
    "https://short.example/x",
    "https://news.example/late",
    "https://news.example/same-day",
    "https://news.example/undated",
    "not in the log",
]
LATE = "dated 2020-11-01, after the claim (2020-10-31)"
LOG = [
    PageLog(row=0, url=URLS[0], date="2020-01-02"),
    PageLog(row=1, url=URLS[3], final_url=f"{OWN_PAGE}?utm_source=x"),
    PageLog(row=2, url=URLS[4], final_url=URLS[4], date="2020-11-01"),
    PageLog(row=3, url=URLS[5], date="2020-10-31"),
    PageLog(row=4, url=URLS[6]),
]


def filters_of(folder: Path, *, keep_fact_check: bool = False, keep_later_pages: bool = False,
            exclude: str = "") -> Leakage:  # fmt: skip
    (folder / "claims.json").write_bytes(encode_list(CLAIMS))
    (folder / "bad.txt").write_text(exclude, encoding="utf-8")
    return read_leakage(folder / "claims.json", folder / "bad.txt" if exclude else None,
                        keep_fact_check=keep_fact_check, keep_later_pages=keep_later_pages)  # fmt: skip


def refused(leakage: Leakage, file: Path, claim_id: int = 0) -> list[str]:
    return refused_pages(leakage, claim_id, file, [Document(url=url, url2text=["x"]) for url in URLS])


@pytest.mark.parametrize("name", ["0.json", "0.json.gz"])
def test_reasons_page_by_page(tmp_path: Path, name: str) -> None:
    (tmp_path / "0.log.jsonl").write_bytes(encode_lines(LOG))
    expected = ["", OWN_ARTICLE, OWN_ARTICLE, OWN_ARTICLE, LATE, "", "", ""]
    assert refused(filters_of(tmp_path), tmp_path / name) == expected
    assert refused(filters_of(tmp_path, keep_later_pages=True), tmp_path / name) == [*expected[:4], "", "", "", ""]
    assert refused(filters_of(tmp_path, keep_fact_check=True), tmp_path / name) == ["", "", "", "", LATE, "", "", ""]
    excluding = filters_of(tmp_path, exclude="news.example/early", keep_later_pages=True, keep_fact_check=True)
    assert refused(excluding, tmp_path / name) == ["excluded by bad.txt, line 1", *[""] * 7]


def test_another_claim_has_another_article_and_no_date(tmp_path: Path) -> None:
    (tmp_path / "1.log.jsonl").write_bytes(encode_lines(LOG))
    assert refused(filters_of(tmp_path), tmp_path / "1.json", 1) == [""] * 8
    assert refused(filters_of(tmp_path), tmp_path / "1.json", 7) == [""] * 8


def test_without_a_log_addresses_alone_decide(tmp_path: Path) -> None:
    expected = ["", OWN_ARTICLE, OWN_ARTICLE, *[""] * 5]
    assert refused(filters_of(tmp_path), tmp_path / "0.json") == expected
    (tmp_path / "dev.zip").write_bytes(b"a file, and no folder")
    assert refused(filters_of(tmp_path), tmp_path / "dev.zip" / "0.json") == expected


def test_a_torn_last_line_does_not_count(tmp_path: Path) -> None:
    (tmp_path / "0.log.jsonl").write_bytes(encode_lines(LOG[:3]) + b'{"row": 3, "url": "htt')
    assert refused(filters_of(tmp_path), tmp_path / "0.json")[4] == LATE


@pytest.mark.parametrize("line", [b"\x00\x01\n", b'{"row": "three", "url": "u"}\n', b"[]\n"])
def test_the_error_for_a_damaged_log_names_the_line(tmp_path: Path, line: bytes) -> None:
    (tmp_path / "0.log.jsonl").write_bytes(encode_lines(LOG[:1]) + line)
    with pytest.raises(StoreError, match=r"0\.log\.jsonl, line 2"):
        refused(filters_of(tmp_path), tmp_path / "0.json")


def test_claims_without_a_log_are_counted(tmp_path: Path) -> None:
    (tmp_path / "0.log.jsonl").write_bytes(encode_lines(LOG))
    assert without_dates(tmp_path, [0]) == []
    assert without_dates(tmp_path, [0, 1, 2]) == [
        f"claims without a scraping log in {tmp_path}: 2 of 3; the dates of their pages are not known"
    ]
