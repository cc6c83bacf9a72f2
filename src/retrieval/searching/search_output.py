"""What a search leaves for a claim: `<id>.tsv`, its manifest, and where there is something to tell also
`<id>.dropped.jsonl` (URLs that were refused, with the reason) and `<id>.tsv.failures.jsonl`.
"""

import hashlib
import os
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from src.errors import OutputError
from src.records import Claim
from src.retrieval.searching.claim_search import STEP, ClaimFindings
from src.retrieval.url_rows import encode_url_rows
from src.runner.fingerprint import Fingerprint, InputFile, fingerprint
from src.runner.journal import lock
from src.runner.manifest import new_manifest
from src.runner.output import write_output
from src.runner.standing import is_done
from src.store import encode_line, encode_lines, storable, write_whole


@dataclass(frozen=True)
class ClaimTarget:
    """A claim, where its URLs go, and what makes them what they are."""

    claim: Claim
    output: Path
    fingerprint: Fingerprint

    def is_done(self) -> bool:
        """Raises InputError when what is there was made otherwise."""
        return is_done(self.output, self.fingerprint, strict=False, quiet=True)

    def write(
        self, found: ClaimFindings, args: Namespace, seconds: float, notes: Sequence[str] = (), model: object = None
    ) -> None:
        """The manifest comes last. Raises OutputError."""
        dropped = dropped_path(self.output)
        if found.dropped:
            write_whole(dropped, encode_lines(found.dropped))
        else:
            dropped.unlink(missing_ok=True)
        manifest = new_manifest(
            self.fingerprint,
            args,
            seconds={"work": seconds},
            counts=found.counts,
            notes=notes,
            deterministic=False,
            model=model,
        )
        write_output(self.output, encode_url_rows(found.rows), found.failures, manifest)

    @contextmanager
    def held(self) -> Iterator[None]:
        """No other run may search for this claim meanwhile. Raises BusyError, OutputError."""
        path = self.output.with_name(f"{self.output.name}.progress")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = lock(path)
        except OSError as error:
            raise OutputError(f"cannot write {path}: {error.strerror or error}") from None
        try:
            yield
        finally:
            path.unlink(missing_ok=True)
            os.close(descriptor)


def dropped_path(output: Path) -> Path:
    """`dev_store/0.tsv` -> `dev_store/0.dropped.jsonl`."""
    return output.with_suffix(".dropped.jsonl")


def targets(claims: Sequence[Claim], args: Namespace, inputs: Mapping[str, Path]) -> list[ClaimTarget]:
    """One for each claim. Raises InputError when an input file is not there.

    The claim file counts by the claim's own record, so that a change elsewhere in it costs no search.
    """
    shared = fingerprint(STEP, args, inputs, [])
    shared.settings.pop("claim_file")
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
