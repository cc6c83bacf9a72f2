"""What methods of explaining wrote in a run of `bench.explanations`, and what stands of it in the end.

Claims and evidence are not kept: they stay with their data. Whether a revision is accepted is decided anew, with the
checks of the day.
"""

import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from src.atomic_file import write_whole
from src.explanation.checks.checker import Checker
from src.explanation.debate.conversation import Result, last_text
from src.explanation.debate.methods import METHODS
from src.explanation.debate.refiner import as_written, kept_explanation
from src.explanation.pieces import pieces
from src.explanation.records import Debate, ExplainedClaim
from src.explanation.scoring.methods import Explanations, Named
from src.explanation.scoring.records import Cost, Report
from src.explanation.scoring.report import cost

MOST_WORDS = 80  # of an explanation
WINDOW = 32_000  # bytes of what a claim rests on that packing looks back to
BLIND = "_unchecked"  # behind the name of a method: what it wrote last, whether it is accepted or not


class Written(msgspec.Struct, omit_defaults=True):
    """On one claim. `explanation` is what stood in the end, None where there is none."""

    claim_id: int
    explanation: str | None = None
    cites: list[list[int]] = []
    debate: Debate | None = None


class Record(msgspec.Struct):
    """By method what an explanation cost, and what was written, on the first `each` claims of both data sets."""

    each: int
    costs: dict[str, Cost]
    written: dict[str, list[Written]]


def record_of(each: int, files: Mapping[str, Path]) -> Record:
    """Of the methods' files, with their manifests beside them."""
    found = {name: Explanations(Named(name, path)).claims for name, path in files.items()}
    written = {
        name: [Written(one.claim_id, one.explanation, one.cites, one.debate) for one in them]
        for name, them in found.items()
    }
    return Record(each, {name: cost(files[name], them) for name, them in found.items()}, written)


class _Packed(msgspec.Struct):
    """The file: what was written is packed, by method and claim_id."""

    each: int
    costs: dict[str, Cost]
    written: dict[str, dict[int, bytes]]


def write_record(record: Record, claims: Sequence[ExplainedClaim], path: Path) -> None:
    """`claims` are those written on, with their evidence. What a text copies from it is kept as a place in it, for
    rulings and evidence are others' work."""
    known = {one.claim_id: _shared(one) for one in claims}
    packed = {
        name: {one.claim_id: _pack(msgspec.json.encode(one), known[one.claim_id]) for one in them}
        for name, them in record.written.items()
    }
    write_whole(path, msgspec.json.encode(_Packed(record.each, record.costs, packed)))


def read_record(path: Path, claims: Callable[[int], Sequence[ExplainedClaim]]) -> Record:
    """`claims` gives those of a number of claims of each data set."""
    kept = msgspec.json.decode(path.read_bytes(), type=_Packed)
    known = {one.claim_id: _shared(one) for one in claims(kept.each)}
    written = {
        name: [msgspec.json.decode(_unpack(packed, known[at]), type=Written) for at, packed in them.items()]
        for name, them in kept.written.items()
    }
    return Record(kept.each, kept.costs, written)


def write_report(found: Report, path: Path) -> None:
    """Methods by their names, not by the files that a run has left."""
    named = [replace(one, file=one.name) for one in found.methods]
    kept = replace(found, methods=named)
    write_whole(path, msgspec.json.format(msgspec.json.encode(kept)) + b"\n")


def _shared(claim: ExplainedClaim) -> bytes:
    return "\n".join([*(piece.whole for piece in pieces(claim)), claim.claim]).encode()[-WINDOW:]


def _pack(text: bytes, shared: bytes) -> bytes:
    packer = zlib.compressobj(9, zdict=shared)
    return packer.compress(text) + packer.flush()


def _unpack(packed: bytes, shared: bytes) -> bytes:
    return zlib.decompressobj(zdict=shared).decompress(packed)


def in_the_end(
    record: Record, drafts: str, claims: Sequence[ExplainedClaim], by: Checker
) -> dict[str, list[ExplainedClaim]]:
    """By method its explanations of the claims, with debates settled by the checks, and, as `METHOD_unchecked`, its
    last texts; `drafts` names the method whose texts were debated."""
    of_id = {one.claim_id: one for one in claims}
    found = {name: [_said(one, of_id) for one in them] for name, them in record.written.items()}
    begun = {one.claim_id: one for one in found[drafts]}
    before = dict(zip(begun, by.check(list(begun.values())), strict=True))
    for name, them in record.written.items():
        results = {one.claim_id: _result(one.debate) for one in them if one.debate is not None}
        if results:
            found[name] = [
                replace(kept_explanation(begun[at], before[at], its, by, MOST_WORDS)[0], debate=its.debate)
                for at, its in results.items()
            ]
            found[f"{name}{BLIND}"] = [
                begun[at] if its.revision is None else as_written(begun[at], its.revision)
                for at, its in results.items()
            ]
    return found


def _result(debate: Debate) -> Result:
    return Result(last_text(debate, METHODS[debate.method].writer), debate)


def _said(one: Written, of_id: Mapping[int, ExplainedClaim]) -> ExplainedClaim:
    return replace(of_id[one.claim_id], explanation=one.explanation, cites=one.cites)
