"""What a run has to do: which claims are done already, and which URLs stand in more than one row."""

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass

from src.records import UrlRow
from src.retrieval.scraping.claim_urls import ClaimUrls
from src.retrieval.scraping.earlier_output import documents_that_fit
from src.retrieval.scraping.frontier import Place, host_of
from src.retrieval.scraping.page_log import is_final, log_path, read_log
from src.retrieval.scraping.row_journal import journal_path
from src.retrieval.url_rows import read_url_rows
from src.runner.manifest import read_manifest
from src.runner.standing import is_done


@dataclass(frozen=True)
class Plan:
    """The claims that are not done, in order; `shared` has every place of each URL that stands in several rows."""

    open: Sequence[ClaimUrls]
    done: int
    foreign: int
    rows: int
    hosts: int
    shared: dict[str, list[Place]]

    def notes(self) -> list[str]:
        """What is left alone, and why."""
        found = [f"{self.done} claims are already there (--overwrite makes them again)"] if self.done else []
        if self.foreign:
            found.append(f"{self.foreign} of them have no manifest: what was filtered in them is not known")
        return found

    def summary(self) -> str:
        """What there is to fetch, in words."""
        fetched = self.rows - sum(len(places) - 1 for places in self.shared.values())
        return f"{len(self.open)} claims, {self.rows} rows, {fetched} different URLs on {self.hosts} hosts to fetch"


def make_plan(claims: Sequence[ClaimUrls], args: Namespace) -> Plan:
    """Reads every TSV, so that bad input is found before any work. Raises InputError."""
    seen: dict[int, Place] = {}  # by the hash of the URL: millions of URLs would not fit
    shared: dict[str, list[Place]] = {}
    hosts: set[str] = set()
    unfinished, foreign, rows = [], 0, 0
    for claim in claims:
        found = read_url_rows(claim.tsv)
        if _is_done(claim, found, args):
            foreign += read_manifest(claim.output) is None
            continue
        unfinished.append(claim)
        rows += len(found)
        for number, row in enumerate(found):
            place = Place(claim.claim_id, number)
            first = seen.setdefault(hash(row.url), place)
            if first is not place:
                shared.setdefault(row.url, [first]).append(place)
            hosts.add(host_of(row.url))
    return Plan(unfinished, len(claims) - len(unfinished), foreign, rows, len(hosts), shared)


def _is_done(claim: ClaimUrls, rows: Sequence[UrlRow], args: Namespace) -> bool:
    """Whether the claim's output is what this run would make. Raises InputError when it must not be replaced."""
    if args.overwrite or not claim.output.exists() or journal_path(claim.output).exists():
        return False
    if read_manifest(claim.output) is None:  # the published scraper left none, and perhaps not all rows
        return len(documents_that_fit(claim.output, rows)) == len(rows)
    if not is_done(claim.output, claim.fingerprint, strict=False, quiet=True):
        return False
    return all(is_final(log, retry=args.retry_failed) for log in read_log(log_path(claim.output)))
