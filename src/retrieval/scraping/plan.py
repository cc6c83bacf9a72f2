"""Plan of a scraping run over files: the claims to scrape, their existing outputs, and the URLs of several rows.

An existing output may be from an earlier run, with a log, or from the published scraper, without a log and with an
incomplete last line.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from src.errors import InputError
from src.json_decoding import decode
from src.records import Document, UrlRow
from src.retrieval.leakage import Leakage
from src.retrieval.pages.reader import Reading
from src.retrieval.scraping.frontier import Place, host_of
from src.retrieval.scraping.page_log import PageLog, is_final, log_path, read_log
from src.retrieval.scraping.scraper import STEP
from src.retrieval.url_rows import read_url_rows
from src.runner.claim_range import ClaimRange, in_words
from src.runner.existing_output import is_done
from src.runner.fingerprint import Fingerprint, Setting, changed_inputs, input_files
from src.runner.journal import progress_path
from src.runner.manifest import read_manifest
from src.store import located, read_bytes, read_records, storable


@dataclass(frozen=True)
class ClaimUrls:
    """One claim to scrape.

    `tsv`: URL file of the claim.
    `output`: path of the output.
    `fingerprint`: fingerprint of inputs and settings.
    """

    claim_id: int
    tsv: Path
    output: Path
    fingerprint: Fingerprint


def tsv_files(path: Path, start: int = 0, end: int = -1) -> dict[int, Path]:
    """Return the URL file of each claim, by claim_id: the file `path`, or files in the folder `path`.

    From a folder, claims `start` to `end` - 1 are taken; an `end` of -1 means up to the last. Raises InputError when
    there is no file, or when the range is not valid.
    """
    if not path.exists():
        how = "search writes it (bash script/search.sh SPLIT START END ...), or bash script/download.sh SPLIT urls"
        raise InputError(f"not found; {how}", path=path)
    if end != -1 and not 0 <= start < end:
        raise InputError(f"--start {start} --end {end}: the start must be 0 or more and below the end")
    if not path.is_dir():
        if (start, end) != (0, -1):
            raise InputError("--start and --end choose among the files of a folder; this is one file", path=path)
        return {_claim_of(path): path}
    files = {_claim_of(file): file for file in path.glob("*.tsv") if _is_number(file.stem)}
    if not files:
        raise InputError("no <claim_id>.tsv there", path=path)
    last = max(files) if end == -1 else end - 1
    chosen = [claim_id for claim_id in sorted(files) if start <= claim_id <= last]
    if not chosen:
        raise InputError(f"no <claim_id>.tsv there for claims {start} to {last}", path=path)
    return {claim_id: files[claim_id] for claim_id in chosen}


def _claim_of(file: Path) -> int:
    if file.suffix != ".tsv" or not _is_number(file.stem) or file.stem != str(int(file.stem)):
        raise InputError("the file must be named by the claim's number, such as 17.tsv", path=file)
    return int(file.stem)


def _is_number(name: str) -> bool:
    """Return True if the name consists of the digits 0 to 9. Python also reads digits of other scripts as numbers."""
    return name.isascii() and name.isdecimal()


def missing_claims(claims: Sequence[ClaimUrls], start: int, end: int) -> str:
    """Return the claim_ids from `start` to `end` - 1 without a URL file, as text: `2, 4-9`; "" if there are none."""
    there = {claim.claim_id for claim in claims}
    stop = max(there, default=-1) + 1 if end == -1 else end
    return in_words(claim_id for claim_id in range(start, stop) if claim_id not in there)


def plan_claims(
    tsv_input: Path, output_dir: Path, chosen: ClaimRange, reading: Reading, leakage: Leakage
) -> list[ClaimUrls]:
    """Return the claims of a URL file or a folder of URL files, in order, with output path and fingerprint.

    Raises InputError when there is no file, or when the range of claims is not valid.
    """
    return [
        ClaimUrls(claim_id, tsv, output_dir / f"{claim_id}.json", _fingerprint(claim_id, tsv, reading, leakage))
        for claim_id, tsv in tsv_files(tsv_input, chosen.start, chosen.end).items()
    ]


def _fingerprint(claim_id: int, tsv: Path, reading: Reading, leakage: Leakage) -> Fingerprint:
    """Return the fingerprint of scraping a claim: the settings that change the text of pages, or refuse pages.

    The settings of fetching pages are left out.
    """
    inputs = {"tsv_input_file": tsv}
    if leakage.exclusions:
        inputs["exclude_urls"] = leakage.exclusions.path
    rules = {f"claim_file ({name})": value for name, value in leakage.rules(claim_id).items()}
    settings: dict[str, Setting] = {
        "extractor": storable(reading.extractor),
        "splitter": storable(reading.splitter),
        "unique": reading.unique,
        **{name: storable(value) if value else None for name, value in rules.items()},
    }
    return Fingerprint(STEP, settings, input_files(inputs), claim_id, claim_id, 1)


@dataclass(frozen=True)
class Plan:
    """Plan of a scraping run.

    `open`: claims that are not done, in order.
    `shared`: all rows of each URL that occurs more than once in open claims.
    `rows`: number of rows of the open claims.
    `left`: number of rows without a result.
    `hosts`: number of hosts of the open claims.
    `done`: number of claims that are done.
    `foreign`: number of claims that are done but have no manifest.
    `changed`: number of open claims whose URL file has changed since their output was written.
    `answered`: True if a server answered for a claim that is done.
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
        """Return notes on existing outputs: claims that are skipped, and why, and claims with changed URL files.

        `retry`: True if rows with a transient failure are tried again (`--retry_failed`).
        """
        notes = []
        if self.done:
            how = "no row is worth another attempt" if retry else "--overwrite makes them again"
            notes.append(f"{self.done} claims are already there ({how})")
        if self.foreign:
            notes.append(f"{self.foreign} of them have no manifest: what was filtered in them is not known")
        if self.changed:
            notes.append(
                f"{self.changed} claims have other rows than before: texts they had are kept, the rest is fetched"
            )
        return notes

    def summary(self) -> str:
        """Return the numbers of claims, rows and URLs to fetch as one line for the user."""
        different = self.rows - sum(len(places) - 1 for places in self.shared.values())
        return (
            f"{len(self.open)} claims, {self.left} rows to do; {different} different URLs on {self.hosts} hosts in all"
        )


class SharedUrls:
    """Collector of URLs that occur in more than one row: `add` the rows of each claim.

    `places` maps each such URL to all its rows.
    """

    def __init__(self) -> None:
        self.places: dict[str, list[Place]] = {}
        self._first: dict[int, Place] = {}  # key: hash of the URL, since millions of URLs need too much memory

    def add(self, claim_id: int, rows: Sequence[UrlRow]) -> None:
        for number, row in enumerate(rows):
            place = Place(claim_id, number)
            first = self._first.setdefault(hash(row.url), place)
            if first is not place:
                self.places.setdefault(row.url, [first]).append(place)


def make_plan(claims: Sequence[ClaimUrls], *, overwrite: bool = False, retry: bool = False) -> Plan:
    """Return the plan of a run. Reads all URL files, so that invalid files are reported before the run begins.

    `retry`: rows with a transient failure are tried again. Raises InputError for an invalid URL file, or for an output
    that must not be replaced.
    """
    shared = SharedUrls()
    hosts: set[str] = set()
    unfinished, foreign, changed, rows, left, answered = [], 0, 0, 0, 0, False
    for claim in claims:
        claim_rows = read_url_rows(claim.tsv)
        manifest = read_manifest(claim.output)
        to_do = _left(claim, claim_rows, overwrite=overwrite, retry=retry)
        if to_do is None:
            foreign += manifest is None
            answered = answered or any(log.is_answered for log in read_log(log_path(claim.output)))
            continue
        unfinished.append(claim)
        rows, left = rows + len(claim_rows), left + to_do
        changed += bool(manifest and not overwrite and changed_inputs(manifest.fingerprint, claim.fingerprint))
        shared.add(claim.claim_id, claim_rows)
        hosts.update(host_of(row.url) for row in claim_rows)
    done = len(claims) - len(unfinished)
    return Plan(unfinished, shared.places, rows, left, len(hosts), done, foreign, changed, answered)


def _left(claim: ClaimUrls, rows: Sequence[UrlRow], *, overwrite: bool, retry: bool) -> int | None:
    """Return the number of rows of a claim without a result, not counting those in its journal; None if it is done.

    Raises InputError when there is an output that must not be replaced.
    """
    if overwrite or not claim.output.exists() or progress_path(claim.output).exists():
        return len(rows)
    if read_manifest(claim.output) is None:  # the published scraper writes no manifest, and may have been stopped
        return len(rows) - len(documents_that_fit(claim.output, rows)) or None
    if is_done(claim.output, claim.fingerprint, strict=False, quiet=True):
        return sum(not is_final(log, retry=retry) for log in read_log(log_path(claim.output))) or None
    return len(rows)


def settled_rows(output: Path, rows: Sequence[UrlRow]) -> Iterator[tuple[PageLog, list[str]]]:
    """Yield log and sentences of each line of an existing output.

    Raises InputError when the URL of a line is not that of its row.
    """
    documents = documents_that_fit(output, rows)
    for log, document in zip(logs_of(output, documents), documents, strict=True):
        yield log, document.url2text


def logs_of(output: Path, documents: Sequence[Document]) -> list[PageLog]:
    """Return the log line of each page of an output; one is made for a page that the log file lacks.

    Raises InputError when the log is damaged.
    """
    logs = {log.row: log for log in read_log(log_path(output))}
    return [logs.get(row) or _unlogged(row, document) for row, document in enumerate(documents)]


def moved_rows(output: Path, rows: Sequence[UrlRow]) -> Iterator[tuple[PageLog, list[str]]]:
    """Yield log and sentences of each row whose page the existing output has, in this line or another.

    A page may have moved to another line since the output was written, if rows were added or removed.
    """
    logs = read_log(log_path(output))
    with_text = {log.url: (log, page.url2text) for log, page in zip(logs, read_records(output, Document), strict=False)
                 if page.url2text and page.url == log.url}  # fmt: skip
    for row, wanted in enumerate(rows):
        if wanted.url in with_text:
            log, sentences = with_text[wanted.url]
            yield msgspec.structs.replace(log, row=row), sentences


def documents_that_fit(output: Path, rows: Sequence[UrlRow]) -> list[Document]:
    """Return the pages of an existing output, without an incomplete last line.

    Raises InputError when the URL of a line is not that of its row, or when there are more lines than rows.
    """
    documents = [document for _, document in located(_whole_lines(read_bytes(output)), Document, output)]
    for number, document in enumerate(documents):
        if number >= len(rows) or document.url != rows[number].url:
            expected = rows[number].url if number < len(rows) else "no such row"
            message = f"{document.url}: the TSV has {expected} there; --overwrite replaces the file"
            raise InputError(message, path=output, line=number + 1, field="url")
    return documents


def _whole_lines(data: bytes) -> bytes:
    """Return the bytes of a knowledge-store file without an incomplete last line."""
    whole, _, last = data.rpartition(b"\n")
    try:
        decode(last, Document)
    except msgspec.DecodeError:
        return whole
    return data


def _unlogged(row: int, document: Document) -> PageLog:
    """Return a log line for a page that the log file lacks, with what the page itself shows."""
    reason = "" if document.url2text else "has no text, and no scraping log says why"
    return PageLog(row=row, url=document.url, reason=reason, sentences=len(document.url2text))
