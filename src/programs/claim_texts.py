"""The claims of any of the data sets: AVeriTeC, HOVER, FEVEROUS, or a file of one's own. Only their text is read."""

from pathlib import Path

import msgspec

from src.errors import InputError
from src.store import located, read_bytes, refuse_doubles, remedy


class ClaimText(msgspec.Struct):
    claim_id: int
    claim: str


class _Line(msgspec.Struct):
    claim: str
    claim_id: int | None = None


def read_claim_texts(path: Path) -> list[ClaimText]:
    """In file order; a claim without a claim_id has its 0-based place. Raises InputError (file, line, field)."""
    if not path.exists():
        raise InputError(f"not found; {remedy(path)}", path=path)
    found = [
        (line, ClaimText(place if one.claim_id is None else one.claim_id, one.claim))
        for place, (line, one) in enumerate(located(read_bytes(path), _Line, path))
    ]
    refuse_doubles([(line, claim.claim_id) for line, claim in found], path)
    return [claim for _, claim in found]
