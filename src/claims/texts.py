"""Reader of claim texts from any data set: AVeriTeC, HOVER, FEVEROUS, or a user's file. Only the text is read."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, TypeVar

import msgspec

from src.errors import InputError
from src.records import ClaimId, Said
from src.store import located, read_bytes, refuse_doubles, remedy


class HasKey(Protocol):
    """A claim with its data set's own id."""

    @property
    def key(self) -> str: ...


Keyed = TypeVar("Keyed", bound=HasKey)


class ClaimText(msgspec.Struct):
    """The text of a claim. `key` is the data set's own id, or the claim_id if there is none."""

    claim_id: int
    claim: str
    key: str = ""


class _Line(msgspec.Struct):
    claim: Said
    claim_id: ClaimId | None = None
    id: str | int | None = None
    uid: str | None = None


def read_claim_texts(path: Path) -> list[ClaimText]:
    """Return the claims in file order; a claim without a claim_id gets its 0-based place.

    Raises InputError (file, line, field) when the file is missing, when a line cannot be read, or when a claim_id
    occurs twice.
    """
    if not path.exists():
        raise InputError(f"not found; {remedy(path)}", path=path)
    found = [(line, _claim(place, one)) for place, (line, one) in enumerate(located(read_bytes(path), _Line, path))]
    refuse_doubles([(line, claim.claim_id) for line, claim in found], path)
    return [claim for _, claim in found]


def _claim(place: int, one: _Line) -> ClaimText:
    claim_id = place if one.claim_id is None else one.claim_id
    named = [key for key in (one.id, one.uid) if key is not None]
    return ClaimText(claim_id, one.claim, str(named[0] if named else claim_id))


def with_keys(claims: list[Keyed], ids: Path | None) -> list[Keyed]:
    """Return the claims whose key is in the file, one a line, in the order of the claims; all claims without a file.

    Keys of no claim are skipped, because one list serves several files of a data set. Raises InputError when no claim
    is left.
    """
    if ids is None:
        return claims
    wanted = _keys(ids)
    found = [claim for claim in claims if claim.key in wanted]
    if not found:
        raise InputError("none of its ids is that of a claim", path=ids)
    return found


def passed_over(claims: Sequence[Keyed], ids: Path | None) -> list[str]:
    """Return a one-item list that reports the ids of the file without a claim; an empty list if there are none."""
    unknown = _keys(ids) - {claim.key for claim in claims} if ids is not None else set()
    return [f"{ids}: {len(unknown)} of its ids are those of no claim here, such as {min(unknown)}"] if unknown else []


def _keys(ids: Path) -> set[str]:
    try:
        return {line for line in read_bytes(ids).decode().split("\n") if line.strip()}
    except UnicodeDecodeError:
        raise InputError("is no text", path=ids) from None


def apart(claims: list[Keyed], chosen: Sequence[Keyed], ids: Path) -> list[Keyed]:
    """Return the claims in the file `ids`, to fit something on that is then applied to the chosen ones.

    Raises InputError when one of them is chosen, or when none is left.
    """
    found = with_keys(claims, ids)
    if both := len({claim.key for claim in found} & {claim.key for claim in chosen}):
        raise InputError(f"{both} of its claims are scored, too; name those to score with --ids", path=ids)
    return found
