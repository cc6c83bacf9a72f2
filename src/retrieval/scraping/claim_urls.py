"""The claims to scrape: their TSV files, outputs and fingerprints."""

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from src.errors import InputError
from src.retrieval.leakage.filters import Leakage
from src.runner.arguments import in_words
from src.runner.fingerprint import Fingerprint, fingerprint


@dataclass(frozen=True)
class ClaimUrls:
    """The URL file of one claim, its output, and the fingerprint of its inputs and settings."""

    claim_id: int
    tsv: Path
    output: Path
    fingerprint: Fingerprint


def tsv_files(path: Path, start: int = 0, end: int = -1) -> dict[int, Path]:
    """Return the TSV of each claim: the file `path`, or the files of claims START to END-1 in the folder `path`.

    Raises InputError when there is none, or when the range is not valid.
    """
    if not path.exists():
        how = "search writes it (bash script/search.sh SPLIT START END ...), or bash script/download.sh SPLIT urls"
        raise InputError(f"not found; {how}", path=path)
    if end != -1 and not 0 <= start < end:
        raise InputError(f"--start {start} --end {end}: START must lie before END")
    if not path.is_dir():
        if (start, end) != (0, -1):
            raise InputError("--start and --end choose among the files of a folder; this is one file", path=path)
        return {_claim_of(path): path}
    found = {_claim_of(file): file for file in path.glob("*.tsv") if _is_number(file.stem)}
    if not found:
        raise InputError("no <claim_id>.tsv there", path=path)
    last = max(found) if end == -1 else end - 1
    chosen = [claim_id for claim_id in sorted(found) if start <= claim_id <= last]
    if not chosen:
        raise InputError(f"no <claim_id>.tsv there for claims {start} to {last}", path=path)
    return {claim_id: found[claim_id] for claim_id in chosen}


def _claim_of(file: Path) -> int:
    if file.suffix != ".tsv" or not _is_number(file.stem) or file.stem != str(int(file.stem)):
        raise InputError("the file must be named by the claim's number, such as 17.tsv", path=file)
    return int(file.stem)


def _is_number(name: str) -> bool:
    """Return True if the name consists of the digits 0 to 9. Python also reads digits of other scripts as numbers."""
    return name.isascii() and name.isdecimal()


def missing_claims(claims: Sequence[ClaimUrls], start: int, end: int) -> str:
    """Return the claims of the range that have no TSV, as text: `2, 4-9`; "" when all have one."""
    there = {claim.claim_id for claim in claims}
    stop = max(there, default=-1) + 1 if end == -1 else end
    return in_words(claim_id for claim_id in range(start, stop) if claim_id not in there)


def plan_claims(args: Namespace, step: str, leakage: Leakage) -> list[ClaimUrls]:
    """Return the claims of the command line, in order. Raises InputError as `tsv_files`."""
    return [
        ClaimUrls(
            claim_id, tsv, args.json_output_dir / f"{claim_id}.json", _fingerprint(claim_id, tsv, args, step, leakage)
        )
        for claim_id, tsv in tsv_files(args.tsv_input_file, args.start, args.end).items()
    ]


def _fingerprint(claim_id: int, tsv: Path, args: Namespace, step: str, leakage: Leakage) -> Fingerprint:
    """Return the fingerprint of a claim's run: only settings that change the text of a page, or which pages count.

    How pages are fetched is left out.
    """
    rules = {f"claim_file ({name})": value for name, value in leakage.rules(claim_id).items()}
    settings = Namespace(extractor=args.extractor, splitter=args.splitter, unique=args.unique, **rules)
    inputs = {"tsv_input_file": tsv}
    if args.exclude_urls:
        inputs["exclude_urls"] = args.exclude_urls
    return fingerprint(step, settings, inputs, [claim_id])
