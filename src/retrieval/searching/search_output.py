"""Output of a search for one claim: `<id>.tsv` and its manifest. Where needed also `<id>.dropped.jsonl` (refused URLs
with the reason) and `<id>.tsv.failures.jsonl`.
"""

import hashlib
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from src.append_only import AppendOnlyFile
from src.atomic_file import write_whole
from src.errors import OutputError
from src.records import Claim
from src.retrieval.searching.claim_search import STEP, ClaimFindings
from src.retrieval.url_rows import encode_url_rows
from src.runner.existing_output import is_done
from src.runner.fingerprint import Fingerprint, InputFile, fingerprint
from src.runner.manifest import new_manifest, read_manifest
from src.runner.output import write_output
from src.runner.progress_file import progress_path
from src.store import encode_line, encode_lines, sha256, storable


@dataclass(frozen=True)
class ClaimTarget:
    """A claim, the path of its URL file, and the fingerprint of its inputs and settings."""

    claim: Claim
    output: Path
    fingerprint: Fingerprint

    @property
    def progress(self) -> Path:
        """Path of the progress file, `dev_store/0.tsv.progress`: locked during the search, empty until the output is
        written.
        """
        return progress_path(self.output)

    def is_done(self) -> bool:
        """Return True if the output is complete. Raises InputError when an output was made from other inputs or
        settings.

        An output that a run began to write and did not finish is not done, whatever was there before.
        """
        begun = _size(self.progress) > 0
        if begun and not _is_whole(self.output):
            return False
        return is_done(self.output, self.fingerprint, strict=False, quiet=True) and not begun

    @contextmanager
    def held(self) -> Iterator[AppendOnlyFile]:
        """Lock the claim's progress file, so that no other run searches for it at the same time.

        The progress file is removed at the end, unless an output was begun and not finished. Raises BusyError when
        another run holds the file, OutputError when it cannot be written.
        """
        with AppendOnlyFile(self.progress) as progress:
            finished = False
            try:
                yield progress
                finished = True
            finally:
                if finished or not progress.size:
                    progress.remove()

    def write(
        self,
        progress: AppendOnlyFile,
        found: ClaimFindings,
        args: Namespace,
        seconds: float,
        *,
        notes: Sequence[str] = (),
        deterministic: bool = False,
        model: object = None,
    ) -> None:
        """Write the output of a claim whose progress file is locked. Raises OutputError when it cannot be written."""
        manifest = new_manifest(
            self.fingerprint,
            args,
            seconds={"work": seconds},
            counts=found.counts,
            notes=notes,
            deterministic=deterministic,
            model=model,
        )
        dropped = dropped_path(self.output)
        try:
            progress.append(b"writing\n")
            if found.dropped:
                write_whole(dropped, encode_lines(found.dropped))
            else:
                dropped.unlink(missing_ok=True)
            write_output(self.output, encode_url_rows(found.rows), found.failures, manifest)
        except OSError as error:
            raise OutputError(f"cannot write {self.output}: {error.strerror or error}") from None


def _size(path: Path) -> int:
    """Return the size of the file in bytes, 0 where there is none."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _is_whole(output: Path) -> bool:
    """Return True if the output and its manifest are from the same run."""
    manifest = read_manifest(output)
    return manifest is not None and output.exists() and sha256(output) == manifest.output_sha256


def dropped_path(output: Path) -> Path:
    """Return the path of the refused URLs: `dev_store/0.tsv` -> `dev_store/0.dropped.jsonl`."""
    return output.with_suffix(".dropped.jsonl")


def targets(claims: Sequence[Claim], args: Namespace, inputs: Mapping[str, Path]) -> list[ClaimTarget]:
    """Return a target for each claim. Raises InputError when an input file is missing.

    The fingerprint holds the claim's own record, not the whole claim file: a change elsewhere in the file costs no
    search.
    """
    shared = fingerprint(STEP, args, inputs, [])
    shared.settings.pop("claim_file")
    shared.settings.setdefault("provider", "file")  # its content counts, not its path
    found = []
    for claim in claims:
        own = InputFile(storable(str(args.claim_file)), hashlib.sha256(encode_line(claim)).hexdigest())
        made = msgspec.structs.replace(
            shared,
            inputs={**shared.inputs, "claim_file": own},
            first=claim.claim_id,
            last=claim.claim_id,
            claims=1,
        )
        found.append(ClaimTarget(claim, Path(args.output) / f"{claim.claim_id}.tsv", made))
    return found
