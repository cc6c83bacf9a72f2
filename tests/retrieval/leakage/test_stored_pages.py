"""Pages of a knowledge store that may not be evidence: by address, by redirect, by the date in their log."""

from pathlib import Path

import pytest

from src.errors import StoreError
from src.records import Claim, Document
from src.retrieval.leakage import OWN_ARTICLE, Leakage, read_leakage, refused_pages, without_dates
from src.retrieval.scraping.page_log import PageLog
from src.store import encode_lines, encode_list

ARTICLE = "https://checker.example/2020/11/03/no-such-letter/"
CLAIMS = [Claim("a", 0, claim_date="31-10-2020", fact_checking_article=ARTICLE), Claim("b", 1)]
URLS = [
    "https://news.example/early",
    ARTICLE,
    f"https://web.archive.org/web/2020id_/{ARTICLE}",
    "https://short.example/x",
    "https://news.example/late",
    "https://news.example/same-day",
    "https://news.example/undated",
    "not in the log",
]
LATE = "dated 2020-11-01, after the claim (2020-10-31)"
LOG = [
    PageLog(row=0, url=URLS[0], date="2020-01-02"),
    PageLog(row=1, url=URLS[3], final_url=f"{ARTICLE}?utm_source=x"),
    PageLog(row=2, url=URLS[4], final_url=URLS[4], date="2020-11-01"),
    PageLog(row=3, url=URLS[5], date="2020-10-31"),
    PageLog(row=4, url=URLS[6]),
]


def leakage(folder: Path, *, keep_fact_check: bool = False, keep_later_pages: bool = False,
            exclude: str = "") -> Leakage:  # fmt: skip
    (folder / "claims.json").write_bytes(encode_list(CLAIMS))
    (folder / "bad.txt").write_text(exclude, encoding="utf-8")
    return read_leakage(folder / "claims.json", folder / "bad.txt" if exclude else None,
                        keep_fact_check=keep_fact_check, keep_later_pages=keep_later_pages)  # fmt: skip


def refused(found: Leakage, file: Path, claim_id: int = 0) -> list[str]:
    return refused_pages(found, claim_id, file, [Document(url=url, url2text=["x"]) for url in URLS])


@pytest.mark.parametrize("name", ["0.json", "0.json.gz"])
def test_reasons_page_by_page(tmp_path: Path, name: str) -> None:
    (tmp_path / "0.log.jsonl").write_bytes(encode_lines(LOG))
    expected = ["", OWN_ARTICLE, OWN_ARTICLE, OWN_ARTICLE, LATE, "", "", ""]
    assert refused(leakage(tmp_path), tmp_path / name) == expected
    assert refused(leakage(tmp_path, keep_later_pages=True), tmp_path / name) == [*expected[:4], "", "", "", ""]
    assert refused(leakage(tmp_path, keep_fact_check=True), tmp_path / name) == ["", "", "", "", LATE, "", "", ""]
    excluding = leakage(tmp_path, exclude="news.example/early", keep_later_pages=True, keep_fact_check=True)
    assert refused(excluding, tmp_path / name) == ["excluded by bad.txt, line 1", *[""] * 7]


def test_another_claim_has_another_article_and_no_date(tmp_path: Path) -> None:
    (tmp_path / "1.log.jsonl").write_bytes(encode_lines(LOG))
    assert refused(leakage(tmp_path), tmp_path / "1.json", 1) == [""] * 8
    assert refused(leakage(tmp_path), tmp_path / "1.json", 7) == [""] * 8


def test_without_a_log_addresses_alone_decide(tmp_path: Path) -> None:
    expected = ["", OWN_ARTICLE, OWN_ARTICLE, *[""] * 5]
    assert refused(leakage(tmp_path), tmp_path / "0.json") == expected
    (tmp_path / "dev.zip").write_bytes(b"a file, and no folder")
    assert refused(leakage(tmp_path), tmp_path / "dev.zip" / "0.json") == expected


def test_a_torn_last_line_does_not_count(tmp_path: Path) -> None:
    (tmp_path / "0.log.jsonl").write_bytes(encode_lines(LOG[:3]) + b'{"row": 3, "url": "htt')
    assert refused(leakage(tmp_path), tmp_path / "0.json")[4] == LATE


@pytest.mark.parametrize("line", [b"\x00\x01\n", b'{"row": "three", "url": "u"}\n', b"[]\n"])
def test_a_damaged_log_says_where(tmp_path: Path, line: bytes) -> None:
    (tmp_path / "0.log.jsonl").write_bytes(encode_lines(LOG[:1]) + line)
    with pytest.raises(StoreError, match=r"0\.log\.jsonl, line 2"):
        refused(leakage(tmp_path), tmp_path / "0.json")


def test_claims_without_a_log_are_counted(tmp_path: Path) -> None:
    (tmp_path / "0.log.jsonl").write_bytes(encode_lines(LOG))
    assert without_dates(tmp_path, [0]) == []
    assert without_dates(tmp_path, [0, 1, 2]) == [
        f"2 of 3 claims have no scraping log in {tmp_path}: the dates of their pages are not known"
    ]
