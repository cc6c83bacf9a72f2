"""Work of a run: the claims that are not done, and the URLs that occur in more than one row."""

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass

from src.records import UrlRow
from src.retrieval.scraping.claim_urls import ClaimUrls
from src.retrieval.scraping.earlier_output import documents_that_fit
from src.retrieval.scraping.frontier import Place, host_of
from src.retrieval.scraping.page_log import is_final, log_path, read_log
from src.retrieval.url_rows import read_url_rows
from src.runner.existing_output import is_done
from src.runner.fingerprint import changed_inputs
from src.runner.manifest import read_manifest
from src.runner.progress_file import progress_path


@dataclass(frozen=True)
class Plan:
    """The claims that are not done, in order; `shared` maps each URL of several rows to all its places.

    `rows` counts all rows of these claims, `left` the rows still to do. `hosts` counts their hosts. `foreign` counts
    the claims among the `done` ones that have no manifest; `changed` counts the others with an older output of another
    TSV. `answered`: some server answered for a claim that is done.
    """

    open: Sequence[ClaimUrls]
    shared: dict[str, list[Place]]
    rows: int
    left: int
    hosts: int
    done: int
    foreign: int
    changed: int
    answered: bool = False

    def notes(self, *, retry: bool) -> list[str]:
        """Return notes on the claims that are left alone, and why."""
        found = []
        if self.done:
            how = "no row is worth another attempt" if retry else "--overwrite makes them again"
            found.append(f"{self.done} claims are already there ({how})")
        if self.foreign:
            found.append(f"{self.foreign} of them have no manifest: what was filtered in them is not known")
        if self.changed:
            found.append(
                f"{self.changed} claims have other rows than before: texts they had are kept, the rest is fetched"
            )
        return found

    def summary(self) -> str:
        """Return a summary of the rows to fetch, for the user."""
        different = self.rows - sum(len(places) - 1 for places in self.shared.values())
        return (
            f"{len(self.open)} claims, {self.left} rows to do; {different} different URLs on {self.hosts} hosts in all"
        )


def make_plan(claims: Sequence[ClaimUrls], args: Namespace) -> Plan:
    """Read every TSV before any work begins, so that bad input is found early. Raises InputError for bad input."""
    seen: dict[int, Place] = {}  # by the hash of the URL: millions of URLs would not fit
    shared: dict[str, list[Place]] = {}
    hosts: set[str] = set()
    unfinished, foreign, changed, rows, left, answered = [], 0, 0, 0, 0, False
    for claim in claims:
        found = read_url_rows(claim.tsv)
        manifest = read_manifest(claim.output)
        to_do = _left(claim, found, args)
        if to_do is None:
            foreign += manifest is None
            answered = answered or any(log.is_answered for log in read_log(log_path(claim.output)))
            continue
        unfinished.append(claim)
        rows, left = rows + len(found), left + to_do
        changed += bool(manifest and not args.overwrite and changed_inputs(manifest.fingerprint, claim.fingerprint))
        for number, row in enumerate(found):
            place = Place(claim.claim_id, number)
            first = seen.setdefault(hash(row.url), place)
            if first is not place:
                shared.setdefault(row.url, [first]).append(place)
            hosts.add(host_of(row.url))
    return Plan(unfinished, shared, rows, left, len(hosts), len(claims) - len(unfinished), foreign, changed, answered)


def _left(claim: ClaimUrls, rows: Sequence[UrlRow], args: Namespace) -> int | None:
    """Return how many rows are still to do, as far as known without reading a journal; None when the claim is done.

    Raises InputError when there is an output that must not be replaced.
    """
    if args.overwrite or not claim.output.exists() or progress_path(claim.output).exists():
        return len(rows)
    if read_manifest(claim.output) is None:  # the published scraper left none, and perhaps not all rows
        return len(rows) - len(documents_that_fit(claim.output, rows)) or None
    if is_done(claim.output, claim.fingerprint, strict=False, quiet=True):
        return sum(not is_final(log, retry=args.retry_failed) for log in read_log(log_path(claim.output))) or None
    return len(rows)
