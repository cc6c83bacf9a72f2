"""What a run leaves behind: `X.json`, `X.failures.jsonl` where claims failed, and `X.manifest.json`."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from src.records import ClaimId
from src.runner.manifest import Manifest, manifest_path
from src.store import encode_lines, read_records, sha256
from src.whole_file import write_whole


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
    """Writes each file whole, the manifest last; no failures, no failures file. Raises OutputError."""
    write_whole(output, data)
    write_beside(output, failures, manifest)


def write_beside(output: Path, failures: Sequence[Failure], manifest: Manifest) -> None:
    """Failures and manifest of an output that was just written. Raises OutputError."""
    if failures:
        write_whole(failures_path(output), encode_lines(failures))
    else:
        failures_path(output).unlink(missing_ok=True)
    manifest = msgspec.structs.replace(manifest, output_sha256=sha256(output), failures=len(failures))
    write_whole(manifest_path(output), msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n")
