"""Filters against leakage: which pages may not be evidence, because they reveal the verdict. All steps use the same
rule.

Refused are the claim's own fact-checking article, pages dated after the claim, and what the user excludes. A page from
the claim's own day is kept, and so is a page without a date.

Limitations: other fact-checkers' articles on the same claim are refused only by date or by `--exclude_urls`.
"""

import re
from argparse import ArgumentParser, Namespace
from collections.abc import Collection, Iterable
from collections.abc import Set as AbstractSet
from datetime import date
from pathlib import Path

import msgspec

from src.canonical_url import PageAddress, page_addresses
from src.records import Claim
from src.retrieval.leakage.exclusions import Exclusions
from src.retrieval.leakage.gaps import Gap, articles_missing, days_missing
from src.runner.arguments import in_words
from src.store import read_claims

OWN_ARTICLE = "the claim's own fact-checking article"
_DAY_FIRST = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})")
_YEAR_FIRST = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:T.*)?")


class Leakage(msgspec.Struct, frozen=True):
    """Filters of a run. `of_url` and `of_date` return why a page is refused, "" when it is not.

    A claim that is not in the claim file is filtered by `exclusions` alone. `remarks` hold for every claim. `gaps` name
    claims of `claim_file` that lack what a filter needs.
    """

    articles: dict[int, PageAddress] = {}
    days: dict[int, date] = {}
    exclusions: Exclusions | None = None
    remarks: list[str] = []
    claim_file: Path | None = None
    claim_ids: frozenset[int] = frozenset()
    gaps: list[Gap] = []

    def of_url(self, claim_id: int, url: str) -> str:
        """Return why this URL is refused, such as `excluded by bad_urls.txt, line 3`; "" when it is not."""
        addresses = page_addresses(url)
        article = self.articles.get(claim_id)
        if article is not None and any(article.is_article(address) for address in addresses):
            return OWN_ARTICLE
        line = self.exclusions.line_against(addresses) if self.exclusions else None
        return f"excluded by {self.exclusions.path.name}, line {line}" if self.exclusions and line else ""

    def of_date(self, claim_id: int, date: str | None) -> str:
        """Return why a page of this date is refused, such as `dated 2023-08-31, after the claim (2023-07-25)`; "" when
        it is not.
        """
        page, claim = read_day(date), self.days.get(claim_id)
        if page is None or claim is None or page <= claim:
            return ""
        return f"dated {page}, after the claim ({claim})"

    def rules(self, claim_id: int) -> dict[str, str | None]:
        """Return what is refused for this claim only: its article's address and its date."""
        article, day = self.articles.get(claim_id), self.days.get(claim_id)
        return {
            "fact_checking_article": None if article is None else str(article),
            "claim_date": None if day is None else day.isoformat(),
        }

    def notes(self, claim_ids: Collection[int] | None = None) -> list[str]:
        """Return notes for the user on these claims: what could not be filtered, and which filters are off.

        None means all claims of the claim file.
        """
        asked = self.claim_ids if claim_ids is None else frozenset(claim_ids)
        known = asked & self.claim_ids
        found = [note for gap in self.gaps for note in gap.note(known)]
        return [*self.remarks, *found, *self._unknown(asked - known)]

    def _unknown(self, claim_ids: AbstractSet[int]) -> list[str]:
        if not claim_ids or self.claim_file is None:
            return []
        subject, of_them = ("claims {} are", "of them") if len(claim_ids) > 1 else ("claim {} is", "of it")
        rest = f"only {self.exclusions.path.name} was applied" if self.exclusions else f"nothing {of_them} was filtered"
        return [f"{subject.format(in_words(claim_ids))} not in {self.claim_file}: {rest}"]


def read_leakage(
    claim_file: Path | None, exclude_urls: Path | None, *, keep_fact_check: bool = False, keep_later_pages: bool = False
) -> Leakage:
    """Return the filters of a run. Raises InputError as `read_claims` and `Exclusions`."""
    exclusions = Exclusions(exclude_urls) if exclude_urls else None
    if claim_file is None:
        rest = f"only {exclude_urls.name} was applied" if exclude_urls else "nothing was filtered"
        note = f"{rest}: without --claim_file the claims' fact-checking articles and dates are not known"
        return Leakage(exclusions=exclusions, remarks=[note])
    claims = read_claims(claim_file)
    articles = {} if keep_fact_check else _articles(claims)
    days = {} if keep_later_pages else _days(claims)
    remarks = ["fact-checking articles were kept"] * keep_fact_check
    remarks += ["pages later than their claim were kept"] * keep_later_pages
    gaps = [] if keep_fact_check else [articles_missing(claims, articles)]
    gaps += [] if keep_later_pages else days_missing(claims, days)
    claim_ids = frozenset(claim.claim_id for claim in claims)
    return Leakage(articles, days, exclusions, remarks, claim_file, claim_ids, gaps)


def _articles(claims: Iterable[Claim]) -> dict[int, PageAddress]:
    found = {claim.claim_id: page_addresses(claim.fact_checking_article or "") for claim in claims}
    return {claim_id: addresses[-1] for claim_id, addresses in found.items() if addresses}


def _days(claims: Iterable[Claim]) -> dict[int, date]:
    found = {claim.claim_id: read_day(claim.claim_date) for claim in claims}
    return {claim_id: day for claim_id, day in found.items() if day is not None}


def read_day(text: str | None) -> date | None:
    """Return `31-10-2020` (day first, as published) or `2020-10-31` as a date; None for anything else."""
    stripped = (text or "").strip()
    try:
        if found := _DAY_FIRST.fullmatch(stripped):
            return date(int(found[3]), int(found[2]), int(found[1]))
        if found := _YEAR_FIRST.fullmatch(stripped):
            return date(int(found[1]), int(found[2]), int(found[3]))
    except ValueError:
        return None
    return None


def add_leakage_flags(flags: ArgumentParser, claim_file: Path | None = None) -> None:
    """Add --claim_file, --exclude_urls, --keep_fact_check and --keep_later_pages."""
    flags.add_argument("--claim_file", type=Path, default=claim_file,
                       help="claims; says which fact-checking article and which later pages to refuse")  # fmt: skip
    flags.add_argument("--exclude_urls", type=Path, help="file of hosts and URLs to refuse, one a line")
    flags.add_argument("--keep_fact_check", action="store_true", help="keep a claim's own fact-checking article")
    flags.add_argument("--keep_later_pages", action="store_true", help="keep pages dated after their claim")


def leakage_from(args: Namespace) -> Leakage:
    return read_leakage(
        args.claim_file,
        args.exclude_urls,
        keep_fact_check=args.keep_fact_check,
        keep_later_pages=args.keep_later_pages,
    )
