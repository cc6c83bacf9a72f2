"""The claims that are to be scraped: their TSV files, their outputs, and what makes an output what it is."""

from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path

from src.errors import InputError
from src.retrieval.leakage.filters import Leakage
from src.runner.fingerprint import Fingerprint, fingerprint


@dataclass(frozen=True)
class ClaimUrls:
    """The URLs of one claim, and what makes its output what it is."""

    claim_id: int
    tsv: Path
    output: Path
    fingerprint: Fingerprint


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
    settings = Namespace(
        extractor=args.extractor, splitter=args.splitter, unique=args.unique, **leakage.rules(claim_id)
    )
    inputs = {"tsv_input_file": tsv}
    if args.exclude_urls:
        inputs["exclude_urls"] = args.exclude_urls
    return fingerprint(step, settings, inputs, [claim_id])
