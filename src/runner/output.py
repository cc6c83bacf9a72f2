"""Files that a run writes: `X.json`, `X.failures.jsonl` if claims failed, and `X.manifest.json`."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import msgspec

from src.atomic_file import write_in_order
from src.records import ClaimId
from src.runner.manifest import Manifest, manifest_path
from src.store import encode_lines, read_records, sha256


class Failure(msgspec.Struct):
    """Why one claim failed: a line of `X.failures.jsonl`."""

    claim_id: ClaimId
    step: str
    error: str
    message: str
    traceback: str


def failures_path(output: Path) -> Path:
    """Return the failures file of an output: `out/dev_top_k_qa.json` -> `out/dev_top_k_qa.failures.jsonl`."""
    return output.with_name(f"{output.name.removesuffix('.json')}.failures.jsonl")


def read_failures(output: Path) -> list[Failure]:
    """Return the failures of an output, an empty list if all claims succeeded. Raises InputError when unreadable."""
    path = failures_path(output)
    return read_records(path, Failure) if path.exists() else []


def write_output(output: Path, data: bytes, failures: Sequence[Failure], manifest: Manifest) -> None:
    """Write each file whole, the output last; without failures, no failures file. Raises OutputError.

    If a run is killed in between, the output never lacks a manifest. An output with an old manifest is of an older run.
    """
    beside, removed = _beside(output, failures, manifest, hashlib.sha256(data).hexdigest())
    write_in_order([*beside, (output, data)], removed)


def write_beside(output: Path, failures: Sequence[Failure], manifest: Manifest) -> None:
    """Write failures and manifest of an output that was just written. Raises OutputError when one cannot be written."""
    write_in_order(*_beside(output, failures, manifest, sha256(output)))


def _beside(
    output: Path, failures: Sequence[Failure], manifest: Manifest, output_sha256: str
) -> tuple[list[tuple[Path, bytes]], list[Path]]:
    """Return the files to write beside an output, and the files to remove."""
    manifest = msgspec.structs.replace(manifest, output_sha256=output_sha256, failures=len(failures))
    written = (manifest_path(output), msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n")
    path = failures_path(output)
    return ([(path, encode_lines(failures)), written], []) if failures else ([written], [path])
