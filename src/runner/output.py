"""Files that a run writes: the output `X.json`, `X.failures.jsonl` if claims failed, and `X.manifest.json`."""

import hashlib
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from src.atomic_file import atomic, write_in_order
from src.records import ClaimId
from src.runner.manifest import Manifest, manifest_path
from src.store import encode_lines, read_records, sha256


class Failure(msgspec.Struct):
    """Why one claim failed: a line of `X.failures.jsonl`.

    `step`: module name of the step that failed.
    `error`: class name of the exception.
    `message`: message of the exception.
    `traceback`: traceback as text; "" if the record is incomplete but no exception was raised.
    """

    claim_id: ClaimId
    step: str
    error: str
    message: str
    traceback: str


def failures_path(output: Path) -> Path:
    """Return the failures file of an output: `out/dev_top_k_qa.json` -> `out/dev_top_k_qa.failures.jsonl`."""
    return output.with_name(f"{output.name.removesuffix('.json')}.failures.jsonl")


def read_failures(output: Path) -> list[Failure]:
    """Return the failures of the run that wrote an output; [] if all claims succeeded.

    Raises InputError when the failures file cannot be read.
    """
    path = failures_path(output)
    return read_records(path, Failure) if path.exists() else []


def write_output(output: Path, data: Iterable[bytes], failures: Sequence[Failure], manifest: Manifest) -> None:
    """Write the failures file (if claims failed), the manifest and then the output, each atomically.

    `data` has the bytes of the output in pieces, which are never all in memory. The output appears last, so that it
    never lacks a manifest, even if the run is killed in between. Raises OutputError when a file cannot be written.
    """
    digest = hashlib.sha256()
    with atomic(output) as file:
        for piece in data:
            digest.update(piece)
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())
        write_in_order(*_beside(output, failures, manifest, digest.hexdigest()))


def write_beside(output: Path, failures: Sequence[Failure], manifest: Manifest) -> None:
    """Write the failures file and the manifest of an output that was just written.

    Raises OutputError when a file cannot be written.
    """
    write_in_order(*_beside(output, failures, manifest, sha256(output)))


def _beside(
    output: Path, failures: Sequence[Failure], manifest: Manifest, output_sha256: str
) -> tuple[list[tuple[Path, bytes]], list[Path]]:
    """Return the failures file and the manifest to write, as (path, bytes), and the paths of files to remove."""
    manifest = msgspec.structs.replace(manifest, output_sha256=output_sha256, failures=len(failures))
    written = (manifest_path(output), msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n")
    path = failures_path(output)
    return ([(path, encode_lines(failures)), written], []) if failures else ([written], [path])
