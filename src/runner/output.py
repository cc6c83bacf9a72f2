"""What a run leaves behind: `X.json`, `X.failures.jsonl` where claims failed, and `X.manifest.json`."""

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
    """`out/dev_top_k_qa.json` -> `out/dev_top_k_qa.failures.jsonl`."""
    return output.with_name(f"{output.name.removesuffix('.json')}.failures.jsonl")


def read_failures(output: Path) -> list[Failure]:
    """Those of an output; none where all succeeded. Raises InputError."""
    path = failures_path(output)
    return read_records(path, Failure) if path.exists() else []


def write_output(output: Path, data: bytes, failures: Sequence[Failure], manifest: Manifest) -> None:
    """Write each file whole, the output last; no failures, no failures file. Raises OutputError.

    So an output that a killed run left is never without a manifest, and one with an old manifest is of an older run.
    """
    beside, removed = _beside(output, failures, manifest, hashlib.sha256(data).hexdigest())
    write_in_order([*beside, (output, data)], removed)


def write_beside(output: Path, failures: Sequence[Failure], manifest: Manifest) -> None:
    """Write failures and manifest of an output that was just written. Raises OutputError."""
    write_in_order(*_beside(output, failures, manifest, sha256(output)))


def _beside(
    output: Path, failures: Sequence[Failure], manifest: Manifest, output_sha256: str
) -> tuple[list[tuple[Path, bytes]], list[Path]]:
    """Return the files beside an output, and those that must not be there."""
    manifest = msgspec.structs.replace(manifest, output_sha256=output_sha256, failures=len(failures))
    written = (manifest_path(output), msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n")
    path = failures_path(output)
    return ([(path, encode_lines(failures)), written], []) if failures else ([written], [path])
