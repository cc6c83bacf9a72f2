"""Stage: search the web for each claim, and write the found URLs to files. `ClaimSearch` searches for a single claim.

The files are `<claim_id>.tsv` and its manifest; where needed also `<claim_id>.dropped.jsonl` (refused URLs with the
reason) and `<claim_id>.tsv.failures.jsonl`.
"""

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from src.atomic_file import write_whole
from src.errors import InputError, OutputError, one_line
from src.llm import Options, get_llm
from src.llm.flags import EngineOptions, engine_of, llm_flag, model_file, refuse_batch
from src.records import Claim
from src.retrieval.claim_search import STEP, ClaimResults, ClaimSearch, Questions, claim_queries, write_questions
from src.retrieval.leakage import CLAIMS_OF_FILTERS, Leakage, LeakageSettings
from src.retrieval.providers import (
    FACT_CHECKS,
    PROVIDERS,
    SearchProvider,
    SearchQuery,
    fact_check_address,
    get_provider,
    lacking,
    provider_file,
    provider_notes,
    providers_help,
)
from src.retrieval.url_rows import encode_url_rows
from src.runner.claim_range import DividedRange, in_range
from src.runner.console import Progress, how_many, say, say_error
from src.runner.existing_output import is_done
from src.runner.fingerprint import Fingerprint, InputFile, fingerprint
from src.runner.journal import Journal, progress_path
from src.runner.manifest import Manifest, new_manifest, read_manifest
from src.runner.output import Failure, write_output
from src.runner.sharding import part_of
from src.settings import Flag, Group, Natural, Positive, StepSettings
from src.store import encode_line, encode_lines, read_claims, sha256, storable

PAGE = 10  # results a page, as in the published search
AGAIN = " (--overwrite makes them again)"
FILE_FORMS = 'PATH: lines URL (for every claim) or CLAIM_ID<tab>URL, or JSON lines {"claim_id": 0, "urls": ["..."]}'
Kind = Literal["claim+author", "claim", "claim-noformat"]


class SearchSettings(StepSettings, frozen=True, kw_only=True):
    """Settings of `search_claims`. `llm` and `engine` are the model that writes `questions`."""

    output: Annotated[Path, Flag("folder of <claim_id>.tsv", "-o")] = Path("data_store/dev_store")
    provider: Annotated[
        str,
        Flag(
            f"{providers_help()}; NAME@BASE_URL for another address. {FILE_FORMS}", "-p", or_path=True, names=PROVIDERS
        ),
    ]
    queries: Annotated[tuple[Kind, ...], Flag("kinds of queries for a claim", may_be_empty=True)] = (
        "claim+author",
        "claim",
        "claim-noformat",
    )
    questions: Annotated[Natural, Flag("number of questions by --llm that are searched as well")] = 0
    pages: Annotated[Positive, Flag("pages of ten results for each query")] = 3
    country: Annotated[str | None, Flag("ISO code, instead of each claim's own (published: US)")] = None
    range: Annotated[DividedRange, Group()] = DividedRange()
    claim_file: Annotated[Path, Flag(CLAIMS_OF_FILTERS)] = Path("data/dev.json")
    leakage: Annotated[LeakageSettings, Group()] = LeakageSettings()
    llm: Annotated[str | None, llm_flag()] = None
    engine: EngineOptions = Options()

    @property
    def results(self) -> int:
        """Return the number of results that are requested for each query."""
        return self.pages * PAGE


def search_claims(settings: SearchSettings) -> int:
    """Search the web for all claims of a file that have no complete result yet.

    Return 0, or 1 if some claims failed. Raises InputError for bad input, and NetworkError when no further query can be
    answered.
    """
    if settings.questions and not settings.llm:
        raise InputError("--questions needs --llm")
    refuse_batch(settings.engine, "a search")
    if fact_check_address(settings.provider) is not None:
        raise InputError(f"{FACT_CHECKS} shows the fact-checks of one claim, in a check; it finds no evidence")
    everyone = read_claims(settings.claim_file)
    part = part_of(settings.range, everyone, settings.claim_file)
    claims = in_range(everyone, part.start, part.end, settings.claim_file)
    leakage = settings.leakage.filters(settings.claim_file)
    provider = get_provider(settings.provider, settings.engine.timeout)
    files = {**provider_file(settings.provider), **model_file(settings.llm)}
    if leakage.exclusions:
        files["exclude_urls"] = leakage.exclusions.path
    every = targets(claims, settings, files)
    left = [target for target in every if settings.overwrite or not target.is_done()]
    missing = lacking(settings.provider) if left else ""
    if settings.dry_run or not left:
        if missing:
            say(f"note: {missing}", quiet=settings.quiet)
        say(_plan(settings, left, len(every) - len(left), provider), quiet=settings.quiet)
        return 0
    if missing:
        raise InputError(missing)
    return _run(settings, left, len(every), leakage, provider)


def _plan(settings: SearchSettings, left: Sequence["ClaimTarget"], done: int, provider: SearchProvider) -> str:
    each = provider.requests(settings.results)
    if each:
        queries = sum(len(claim_queries(target.claim, settings.queries)) + settings.questions for target in left)
        cost = f"{queries} queries, at most {queries * each} requests to {settings.provider}"
    else:
        urls = sum(len(provider.search(SearchQuery(target.claim.claim_id, ""))) for target in left)
        cost = f"{urls} URLs in {settings.provider}"
    return f"search: {len(left)} claims to search for, {cost}; {done} claims are already there{AGAIN * bool(done)}"


def _run(
    settings: SearchSettings, left: Sequence["ClaimTarget"], total: int, leakage: Leakage, provider: SearchProvider
) -> int:
    model, ask = _question_writer(settings)
    search = ClaimSearch(provider, leakage, settings.queries, settings.results, settings.country, ask)
    for note in [*provider_notes(settings.provider), *leakage.notes([target.claim.claim_id for target in left])]:
        say(f"note: {note}", quiet=settings.quiet)
    given = not provider.requests(settings.results)
    failures: list[Failure] = []
    counts: Counter[str] = Counter()
    with Progress("search", total, total - len(left), quiet=settings.quiet) as progress:
        for target in left:
            with target.journal(overwrite=settings.overwrite) as journal:
                claim_id = target.claim.claim_id
                if claim_id not in journal:
                    began = time.perf_counter()
                    results = search.attempt(target.claim)
                    manifest = new_manifest(
                        target.fingerprint,
                        settings,
                        seconds={"work": time.perf_counter() - began},
                        counts=results.counts,
                        notes=leakage.notes([claim_id]),
                        deterministic=given,
                        model=model,
                    )
                    journal.append([SearchEntry(claim_id, results, manifest)])
                (entry,) = journal.entries([claim_id])
                write_results(target.output, entry)
                journal.remove()
            results = entry.results
            failures += results.failures[:1]
            counts.update(results.counts)
            progress.add(1, bool(results.failures))
    urls = f"{how_many(counts['urls'], 'URL')}, {counts['dropped']} refused"
    say(f"search: {how_many(len(left), 'claim')}, {urls} -> {settings.output}", quiet=settings.quiet)
    if failures:
        first = f"the first, claim {failures[0].claim_id}: {one_line(failures[0].message)}"
        say_error(f"search: {len(failures)} of {total} claims failed; start again to try them again; {first}")
    return 1 if failures else 0


def _question_writer(settings: SearchSettings) -> tuple[object, Callable[[Claim], Questions]]:
    """Return the manifest's entry for the language model, and the function that writes a claim's questions."""
    if not settings.questions or settings.llm is None:
        return None, lambda _: Questions()
    model = get_llm(settings.llm, engine_of(settings, settings.engine))
    return model.info, partial(write_questions, model, number=settings.questions)


class SearchEntry(msgspec.Struct, frozen=True):
    """A claim's search result in its journal; the output files are written from it."""

    claim_id: int
    results: ClaimResults = msgspec.field(name="found")
    manifest: Manifest


@dataclass(frozen=True)
class ClaimTarget:
    """A claim to search for, the path of its file of URLs, and the fingerprint of its inputs and settings."""

    claim: Claim
    output: Path
    fingerprint: Fingerprint

    @property
    def progress(self) -> Path:
        """Return the path of the claim's progress file, such as `dev_store/0.tsv.progress`.

        The file is locked during the search. It is empty until the search ends.
        """
        return progress_path(self.output)

    def is_done(self) -> bool:
        """Return True if the output is complete.

        An output that a run began to write and did not finish is not complete, even if it existed before. Raises
        InputError when an output was made from other inputs or settings.
        """
        begun = _size(self.progress) > 0
        if begun and not _is_whole(self.output):
            return False
        return is_done(self.output, self.fingerprint, strict=False, quiet=True) and not begun

    def journal(self, *, overwrite: bool) -> Journal[SearchEntry]:
        """Return the claim's journal. It is locked, so that no other run searches for the claim at the same time.

        A result with failures does not count as done. Raises the errors of `Journal`.
        """
        return Journal(self.output, self.fingerprint, SearchEntry, lambda entry: entry.claim_id,
                       lambda entry: not entry.results.failures, overwrite=overwrite)  # fmt: skip


def write_results(output: Path, entry: SearchEntry) -> None:
    """Write a claim's rows, refused URLs and failures. Raises OutputError when a file cannot be written."""
    results, dropped = entry.results, dropped_path(output)
    if results.dropped:
        write_whole(dropped, encode_lines(results.dropped))
    else:
        try:
            dropped.unlink(missing_ok=True)
        except OSError as error:
            raise OutputError(f"cannot write {dropped}: {error.strerror or error}") from None
    write_output(output, [encode_url_rows(results.rows)], results.failures, entry.manifest)


def _size(path: Path) -> int:
    """Return the size of the file in bytes; 0 if it does not exist."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _is_whole(output: Path) -> bool:
    """Return True if the output and its manifest are from one and the same run."""
    manifest = read_manifest(output)
    return manifest is not None and output.exists() and sha256(output) == manifest.output_sha256


def dropped_path(output: Path) -> Path:
    """Return the path of the refused URLs: `dev_store/0.tsv` -> `dev_store/0.dropped.jsonl`."""
    return output.with_suffix(".dropped.jsonl")


def targets(claims: Sequence[Claim], settings: SearchSettings, inputs: Mapping[str, Path]) -> list[ClaimTarget]:
    """Return a search target for each claim. Raises InputError when an input file is missing.

    The fingerprint holds the claim's own record, not the whole claim file. If other claims of the file change, this
    claim is not searched again.
    """
    shared = fingerprint(STEP, settings, inputs, [])
    shared.settings.pop("claim_file")
    shared.settings.setdefault("provider", "file")  # its content counts, not its path
    claim_targets = []
    for claim in claims:
        own = InputFile(storable(str(settings.claim_file)), hashlib.sha256(encode_line(claim)).hexdigest())
        own_fingerprint = msgspec.structs.replace(
            shared,
            inputs={**shared.inputs, "claim_file": own},
            first=claim.claim_id,
            last=claim.claim_id,
            claims=1,
        )
        claim_targets.append(ClaimTarget(claim, settings.output / f"{claim.claim_id}.tsv", own_fingerprint))
    return claim_targets
