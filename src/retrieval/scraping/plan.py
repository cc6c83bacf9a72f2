"""What a run has to do: the TSV files, which claims are done already, and which URLs stand in more than one row."""

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from src.errors import InputError
from src.records import UrlRow
from src.retrieval.leakage.filters import Leakage
from src.retrieval.scraping.claim_output import documents_that_fit, is_final
from src.retrieval.scraping.frontier import Place, host_of
from src.retrieval.scraping.page_log import log_path, read_log
from src.retrieval.scraping.row_journal import journal_path
from src.retrieval.url_rows import read_url_rows
from src.runner.fingerprint import Fingerprint, fingerprint
from src.runner.manifest import read_manifest
from src.runner.standing import is_done


@dataclass(frozen=True)
class ClaimUrls:
    """The URLs of one claim, and what makes its output what it is."""

    claim_id: int
    tsv: Path
    output: Path
    fingerprint: Fingerprint


@dataclass(frozen=True)
class Plan:
    """The claims that are not done, in order; `shared` has every place of each URL that stands in several rows."""

    open: Sequence[ClaimUrls]
    done: int
    rows: int
    hosts: int
    shared: dict[str, list[Place]]

    def summary(self) -> str:
        """What there is to fetch, in words."""
        fetched = self.rows - sum(len(places) - 1 for places in self.shared.values())
        return f"{len(self.open)} claims, {self.rows} rows, {fetched} different URLs on {self.hosts} hosts to fetch"


def tsv_files(path: Path, start: int, end: int) -> dict[int, Path]:
    """The TSV of each claim: the file itself, or those of claims START to END-1 in a folder. Raises InputError."""
    if path.is_dir():
        found = {int(file.stem): file for file in path.glob("*.tsv") if file.stem.isdecimal()}
        last = max(found, default=-1) if end == -1 else end - 1
        chosen = [claim_id for claim_id in sorted(found) if start <= claim_id <= last]
        if not chosen:
            raise InputError(f"no <claim_id>.tsv there for claims {start} to {last}", path=path)
        return {claim_id: found[claim_id] for claim_id in chosen}
    if path.suffix != ".tsv" or not path.stem.isdecimal():
        raise InputError("the file must be named by the claim's number and end in .tsv", path=path)
    return {int(path.stem): path}


def plan_claims(args: Namespace, step: str, leakage: Leakage) -> list[ClaimUrls]:
    """The claims that were asked for, in order. Raises InputError."""
    return [
        ClaimUrls(
            claim_id, tsv, args.json_output_dir / f"{claim_id}.json", _fingerprint(claim_id, tsv, args, step, leakage)
        )
        for claim_id, tsv in tsv_files(args.tsv_input_file, args.start, args.end).items()
    ]


def _fingerprint(claim_id: int, tsv: Path, args: Namespace, step: str, leakage: Leakage) -> Fingerprint:
    """Only what changes the text of a page, or which pages count, makes another run; how pages are fetched does not."""
    settings = Namespace(splitter=args.splitter, unique=args.unique, **leakage.rules(claim_id))
    inputs = {"tsv_input_file": tsv}
    if args.exclude_urls:
        inputs["exclude_urls"] = args.exclude_urls
    return fingerprint(step, settings, inputs, [claim_id])


def make_plan(claims: Sequence[ClaimUrls], args: Namespace) -> Plan:
    """Reads every TSV, so that bad input is found before any work. Raises InputError."""
    seen: dict[int, Place] = {}  # by the hash of the URL: millions of URLs would not fit
    shared: dict[str, list[Place]] = {}
    hosts: set[str] = set()
    unfinished, rows = [], 0
    for claim in claims:
        found = read_url_rows(claim.tsv)
        if _is_done(claim, found, args):
            continue
        unfinished.append(claim)
        rows += len(found)
        for number, row in enumerate(found):
            place = Place(claim.claim_id, number)
            first = seen.setdefault(hash(row.url), place)
            if first is not place:
                shared.setdefault(row.url, [first]).append(place)
            hosts.add(host_of(row.url))
    return Plan(unfinished, len(claims) - len(unfinished), rows, len(hosts), shared)


def _is_done(claim: ClaimUrls, rows: Sequence[UrlRow], args: Namespace) -> bool:
    """Whether the claim's output is what this run would make. Raises InputError when it must not be replaced."""
    if args.overwrite or not claim.output.exists() or journal_path(claim.output).exists():
        return False
    if read_manifest(claim.output) is None:  # the published scraper left none, and perhaps not all rows
        return len(documents_that_fit(claim.output, rows)) == len(rows)
    if not is_done(claim.output, claim.fingerprint, strict=False, quiet=True):
        return False
    return all(is_final(log, retry=args.retry_failed) for log in read_log(log_path(claim.output)))
