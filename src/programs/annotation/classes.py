"""File of error classes by annotators, as JSON lines; the last line of an annotator and program counts.

{"annotator": "ann", "claim_id": 4, "program": 0, "shown": "9f86d081884c7d65", "class": "structure", "note": "",
 "seconds": 41.5}
"""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from src.annotating.annotator import Seconds
from src.errors import InputError
from src.programs.scoring.error_classes import ErrorClass
from src.records import ClaimId, Said
from src.store import located

ProgramId = tuple[int, int]
"""claim_id, and the place of the program among the claim's, from 0."""


class Classed(msgspec.Struct, frozen=True):
    """A line of the file. `shown` is the hash of everything shown; `note` is the annotator's reason."""

    annotator: Said
    claim_id: ClaimId
    program: ClaimId
    shown: str
    error_class: ErrorClass = msgspec.field(name="class")
    note: str = ""
    seconds: Seconds = 0.0

    @property
    def of(self) -> ProgramId:
        return self.claim_id, self.program

    @property
    def key(self) -> tuple[str, ProgramId]:
        return self.annotator, self.of


def read_classed(data: bytes, path: Path, hashes: Mapping[ProgramId, str]) -> list[Classed]:
    """Return the last line of each annotator and program, in the order of the first ones.

    `hashes` are the known ones of programs. Raises InputError (file, line, field) when a line cannot be read, or when a
    program has another hash.
    """
    known = dict(hashes)
    found: dict[tuple[str, ProgramId], Classed] = {}
    for line, one in located(data, Classed, path):
        if known.setdefault(one.of, one.shown) != one.shown:
            said = f"program {one.program} of claim {one.claim_id} was another one when {one.annotator} classed it"
            raise InputError(f"{said}; name another file, or remove such lines", path=path, line=line, field="shown")
        found[one.key] = one
    return list(found.values())
