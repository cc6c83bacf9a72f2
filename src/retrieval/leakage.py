"""Filters against leakage: pages that may reveal the verdict of a claim are refused as evidence, in all steps.

Refused are the fact-checking article that the claim comes from, pages dated after the claim, and pages that the user
excludes. A page dated on the claim's day is kept, and so is a page without a date.

`--exclude_urls FILE` lists sites and pages, one a line. `example.com` excludes the host and all its subdomains;
`example.com/blog` or a whole URL excludes that page and all pages below its path. `#` begins a comment. Copies in
archives and caches count as the pages they show.

Limitations: other fact-checkers' articles on the same claim are refused only by date or by `--exclude_urls`. A store
without `<id>.log.jsonl` (downloaded, zipped) has no dates; `without_dates` reports this.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from collections.abc import Set as AbstractSet
from datetime import date
from pathlib import Path
from typing import Annotated

import msgspec

from src.canonical_url import PageAddress, page_addresses
from src.errors import InputError, StoreError
from src.records import Claim, Document
from src.retrieval.scraping.page_log import PageLog, log_path, read_log
from src.runner.claim_range import in_words
from src.settings import Flag
from src.store import read_bytes, read_claims

OWN_ARTICLE = "the claim's own fact-checking article"
_DAY_FIRST = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})")
_YEAR_FIRST = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:T.*)?")
_COMMENT = re.compile(r"(?:^|\s)#.*")


class LeakageSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the leakage filters, for all steps that fetch pages."""

    exclude_urls: Annotated[Path | None, Flag("file of hosts and URLs to refuse, one a line")] = None
    keep_fact_check: Annotated[bool, Flag("keep a claim's own fact-checking article")] = False
    keep_later_pages: Annotated[bool, Flag("keep pages dated after their claim")] = False

    def filters(self, claim_file: Path | None) -> "Leakage":
        """Return the filters for the claims of a file. Raises InputError when it or the exclusion list is not valid."""
        return read_leakage(
            claim_file,
            self.exclude_urls,
            keep_fact_check=self.keep_fact_check,
            keep_later_pages=self.keep_later_pages,
        )


CLAIMS_OF_FILTERS = "claims, with the fact-checking article and the date by which pages are refused"


class Exclusions:
    """Exclusion list of hosts and URLs, read from a file: `Exclusions(path).line_against(page_addresses(url))`.

    Raises InputError when the file cannot be read, or when a line is neither a host nor a URL.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._servers: dict[str, int] = {}
        self._pages: dict[str, list[tuple[int, PageAddress]]] = {}
        for number, raw in enumerate(read_bytes(path).split(b"\n"), start=1):
            if line := _COMMENT.sub("", raw.decode("utf-8", "replace")).strip():
                self._add(line, number)

    def _add(self, line: str, number: int) -> None:
        addresses = page_addresses(line.removeprefix("*").removeprefix("."))
        if not addresses or re.search(r"\s", line):
            raise InputError(f"{line!r} is neither a host nor a URL", path=self.path, line=number)
        address = addresses[-1]
        if address.path or address.parameters:
            self._pages.setdefault(address.host, []).append((number, address))
        else:
            self._servers.setdefault(address.server.removeprefix("www."), number)

    def line_against(self, addresses: list[PageAddress]) -> int | None:
        """Return the number (from 1) of the line that excludes the page with these canonical URLs, or None."""
        for address in addresses:
            for number, page in self._pages.get(address.host, []):
                if page.leads_to(address) or address.path.startswith(f"{page.path}/"):
                    return number
            for name in _above(address.server):
                if name in self._servers:
                    return self._servers[name]
        return None


def _above(server: str) -> list[str]:
    """Return the server with and without its port, then its parent domains."""
    host = re.sub(r":\d+$", "", server)
    labels = host.split(".")
    return [server, *(".".join(labels[start:]) for start in range(len(labels)))]


class Gap(msgspec.Struct, frozen=True):
    """Claims that lack what a filter needs, such as a date, with the text of the note that reports them.

    `claim_ids`: the claims.
    `of_one`: the whole note, for a run over one claim.
    `of_several`: the end of the note, after `2 of 9 claims`, for a run over several claims.
    """

    claim_ids: frozenset[int]
    of_one: str
    of_several: str

    def note(self, claim_ids: AbstractSet[int]) -> list[str]:
        """Return a note such as `2 of 9 claims have no date`, as a list; [] if no claim of the run has the gap.

        `claim_ids`: the claims of the run.
        """
        lacking = len(self.claim_ids & claim_ids)
        if not lacking:
            return []
        return [f"{lacking} of {len(claim_ids)} claims {self.of_several}" if len(claim_ids) > 1 else self.of_one]


class Leakage(msgspec.Struct, frozen=True):
    """Leakage filters of a run. `of_url` and `of_date` return why a page is refused, or "".

    `articles`: fact-checking article of each claim, by claim_id.
    `days`: date of each claim, by claim_id.
    `exclusions`: exclusion list; the only filter for claims that are not in the claim file.
    `remarks`: notes on the whole run, such as which filters are off.
    `claim_file`: file of the claims, or None.
    `claim_ids`: claims in the claim file.
    `gaps`: claims in the claim file that lack what a filter needs.
    """

    articles: dict[int, PageAddress] = {}
    days: dict[int, date] = {}
    exclusions: Exclusions | None = None
    remarks: list[str] = []
    claim_file: Path | None = None
    claim_ids: frozenset[int] = frozenset()
    gaps: list[Gap] = []

    def of_url(self, claim_id: int, url: str) -> str:
        """Return why a URL is refused for a claim, such as `excluded by bad_urls.txt, line 3`; "" if it is not."""
        addresses = page_addresses(url)
        article = self.articles.get(claim_id)
        if article is not None and any(article.is_article(address) for address in addresses):
            return OWN_ARTICLE
        line = self.exclusions.line_against(addresses) if self.exclusions else None
        return f"excluded by {self.exclusions.path.name}, line {line}" if self.exclusions and line else ""

    def of_date(self, claim_id: int, date: str | None) -> str:
        """Return why a page with this date is refused for a claim; "" if it is not.

        Example: `dated 2023-08-31, after the claim (2023-07-25)`.
        """
        page, claim = read_day(date), self.days.get(claim_id)
        if page is None or claim is None or page <= claim:
            return ""
        return f"dated {page}, after the claim ({claim})"

    def rules(self, claim_id: int) -> dict[str, str | None]:
        """Return the claim's data that the filters use: the canonical URL of its fact-checking article, and its date.

        They are part of the run's fingerprint.
        """
        article, day = self.articles.get(claim_id), self.days.get(claim_id)
        return {
            "fact_checking_article": None if article is None else str(article),
            "claim_date": None if day is None else day.isoformat(),
        }

    def notes(self, claim_ids: Collection[int] | None = None) -> list[str]:
        """Return notes for the user: which of the claims could not be filtered, and which filters are off.

        `claim_ids`: the claims; None means all claims of the claim file.
        """
        requested = self.claim_ids if claim_ids is None else frozenset(claim_ids)
        known = requested & self.claim_ids
        gap_notes = [note for gap in self.gaps for note in gap.note(known)]
        return [*self.remarks, *gap_notes, *self._unknown(requested - known)]

    def _unknown(self, claim_ids: AbstractSet[int]) -> list[str]:
        if not claim_ids or self.claim_file is None:
            return []
        subject, of_them = ("claims {} are", "of them") if len(claim_ids) > 1 else ("claim {} is", "of it")
        effect = (
            f"only {self.exclusions.path.name} was applied" if self.exclusions else f"nothing {of_them} was filtered"
        )
        return [f"{subject.format(in_words(claim_ids))} not in {self.claim_file}: {effect}"]


def read_leakage(
    claim_file: Path | None, exclude_urls: Path | None, *, keep_fact_check: bool = False, keep_later_pages: bool = False
) -> Leakage:
    """Return the leakage filters for the claims of a file and an exclusion list, either of which may be None.

    Raises InputError when one of the files cannot be read or is not valid.
    """
    if claim_file is None:
        effect = f"only {exclude_urls.name} was applied" if exclude_urls else "nothing was filtered"
        note = f"{effect}: without --claim_file the claims' fact-checking articles and dates are not known"
        return Leakage(exclusions=_exclusions(exclude_urls), remarks=[note])
    leakage = leakage_of(
        read_claims(claim_file), exclude_urls, keep_fact_check=keep_fact_check, keep_later_pages=keep_later_pages
    )
    return msgspec.structs.replace(leakage, claim_file=claim_file)


def leakage_of(
    claims: Sequence[Claim],
    exclude_urls: Path | None = None,
    *,
    keep_fact_check: bool = False,
    keep_later_pages: bool = False,
) -> Leakage:
    """Return the leakage filters for claims. Raises InputError when the exclusion list is not valid."""
    articles = {} if keep_fact_check else _articles(claims)
    days = {} if keep_later_pages else _days(claims)
    remarks = ["fact-checking articles were kept"] * keep_fact_check
    remarks += ["pages later than their claim were kept"] * keep_later_pages
    gaps = [] if keep_fact_check else [_articles_missing(claims, articles)]
    gaps += [] if keep_later_pages else _days_missing(claims, days)
    claim_ids = frozenset(claim.claim_id for claim in claims)
    return Leakage(articles, days, _exclusions(exclude_urls), remarks, None, claim_ids, gaps)


def _exclusions(file: Path | None) -> Exclusions | None:
    return Exclusions(file) if file else None


def _articles(claims: Iterable[Claim]) -> dict[int, PageAddress]:
    by_claim = {claim.claim_id: page_addresses(claim.fact_checking_article or "") for claim in claims}
    return {claim_id: addresses[-1] for claim_id, addresses in by_claim.items() if addresses}


def _days(claims: Iterable[Claim]) -> dict[int, date]:
    by_claim = {claim.claim_id: read_day(claim.claim_date) for claim in claims}
    return {claim_id: day for claim_id, day in by_claim.items() if day is not None}


def read_day(text: str | None) -> date | None:
    """Return `31-10-2020` (day first, as published) or `2020-10-31` as a date; None for anything else."""
    stripped = (text or "").strip()
    try:
        if match := _DAY_FIRST.fullmatch(stripped):
            return date(int(match[3]), int(match[2]), int(match[1]))
        if match := _YEAR_FIRST.fullmatch(stripped):
            return date(int(match[1]), int(match[2]), int(match[3]))
    except ValueError:
        return None
    return None


def _articles_missing(claims: Iterable[Claim], articles: Collection[int]) -> Gap:
    lacking = frozenset(claim.claim_id for claim in claims if claim.claim_id not in articles)
    lack = "no fact-checking article that could be refused"
    return Gap(lacking, f"the claim names {lack}", f"name {lack}")


def _days_missing(claims: Iterable[Claim], days: Collection[int]) -> list[Gap]:
    """Return two gaps: the claims without a date, and the claims whose date cannot be read.

    For these claims, no page can be refused as too late. `days`: claim_ids of the claims with a readable date.
    """
    undated = [claim for claim in claims if claim.claim_id not in days]
    absent = frozenset(claim.claim_id for claim in undated if not claim.claim_date)
    unreadable = frozenset(claim.claim_id for claim in undated) - absent
    none, bad, late = "no date", "a date that cannot be read", "is too late"
    return [
        Gap(absent, f"the claim has {none}: no page {late}", f"have {none}: no page of theirs {late}"),
        Gap(unreadable, f"the claim has {bad}: no page {late}", f"have {bad}: no page of theirs {late}"),
    ]


def refused_pages(leakage: Leakage, claim_id: int, file: Path, pages: Sequence[Document]) -> list[str]:
    """Return, for each page of a claim, why it is refused, or "". `file` is the knowledge-store file of the pages.

    The dates are read from the scraping log beside the file. Raises StoreError when the log is damaged.
    """
    try:
        return refusals(leakage, claim_id, pages, read_log(log_path(file)))
    except InputError as error:
        raise StoreError(str(error)) from None


def refusals(leakage: Leakage, claim_id: int, pages: Sequence[Document], logs: Iterable[PageLog]) -> list[str]:
    """Return, for each page, the reason why it is refused, or "" if it is not.

    A page is refused for its URL, for the URL that it redirected to, or for its date.

    `logs`: log lines of the claim's pages, which have the redirects and dates.
    """
    by_url = {log.url: log for log in logs}
    return [_refused(leakage, claim_id, page.url, by_url.get(page.url)) for page in pages]


def _refused(leakage: Leakage, claim_id: int, url: str, log: PageLog | None) -> str:
    if reason := leakage.of_url(claim_id, url):
        return reason
    return "" if log is None else leakage.of_url(claim_id, log.final_url) or leakage.of_date(claim_id, log.date)


def without_dates(store: Path, claim_ids: Collection[int]) -> list[str]:
    """Return a note that counts the claims without a scraping log in `store`, as a list; [] if all claims have one.

    Without a log the dates of the pages are unknown, and no page is refused by its date.
    """
    lacking = sum(not log_path(store / f"{claim_id}.json").exists() for claim_id in claim_ids)
    if not lacking:
        return []
    return [
        f"claims without a scraping log in {store}: {lacking} of {len(claim_ids)}; "
        "the dates of their pages are not known"
    ]
