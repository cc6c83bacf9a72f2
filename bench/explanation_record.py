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
from src.explanation.scoring.records import MeanCost, Report
from src.explanation.scoring.report import cost

MOST_WORDS = 80  # of an explanation
WINDOW = 32_000  # bytes of what a claim rests on that packing looks back to
BLIND = "_unchecked"  # behind the name of a method: what it wrote last, whether it is accepted or not


class Written(msgspec.Struct, omit_defaults=True):
    """What a method wrote on one claim; `explanation` is the final text, None if there is none."""

    claim_id: int
    explanation: str | None = None
    cites: list[list[int]] = []
    debate: Debate | None = None


class Record(msgspec.Struct):
    """Everything that the methods wrote.

    `each`: number of claims from each of the two data sets.
    `costs`: mean cost of an explanation, by method.
    `written`: texts of each method, by method.
    """

    each: int
    costs: dict[str, MeanCost]
    written: dict[str, list[Written]]


def record_of(each: int, files: Mapping[str, Path]) -> Record:
    """Return the record of the methods' files of explanations; costs are read from the manifests of the files."""
    explanations = {name: Explanations(Named(name, path)).claims for name, path in files.items()}
    written = {
        name: [Written(one.claim_id, one.explanation, one.cites, one.debate) for one in them]
        for name, them in explanations.items()
    }
    return Record(each, {name: cost(files[name], them) for name, them in explanations.items()}, written)


class _Packed(msgspec.Struct):
    """A record as stored in a file; `written` has compressed texts by method and claim_id."""

    each: int
    costs: dict[str, MeanCost]
    written: dict[str, dict[int, bytes]]


def write_record(record: Record, claims: Sequence[ExplainedClaim], path: Path) -> None:
    """Write the record to a file; `claims` are its claims with their evidence.

    Texts are compressed with the evidence as dictionary, so that the file does not contain passages that they copy
    from it: rulings and evidence are the work of others.
    """
    known = {one.claim_id: _shared(one) for one in claims}
    packed = {
        name: {one.claim_id: _pack(msgspec.json.encode(one), known[one.claim_id]) for one in them}
        for name, them in record.written.items()
    }
    write_whole(path, msgspec.json.encode(_Packed(record.each, record.costs, packed)))


def read_record(path: Path, claims: Callable[[int], Sequence[ExplainedClaim]]) -> Record:
    """Return the record in a file; `claims` returns the claims of both data sets, given their number in each."""
    packed_record = msgspec.json.decode(path.read_bytes(), type=_Packed)
    known = {one.claim_id: _shared(one) for one in claims(packed_record.each)}
    written = {
        name: [msgspec.json.decode(_unpack(packed, known[at]), type=Written) for at, packed in them.items()]
        for name, them in packed_record.written.items()
    }
    return Record(packed_record.each, packed_record.costs, written)


def write_report(report: Report, path: Path) -> None:
    """Write the report to a file; the names of the methods replace the paths of their files."""
    named = [replace(one, file=one.name) for one in report.methods]
    renamed = replace(report, methods=named)
    write_whole(path, msgspec.json.format(msgspec.json.encode(renamed)) + b"\n")


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
    """Return the explanations of each method, by method.

    Of debates, the gate (`kept_explanation`) decides again if the revision or the draft is returned. The last texts of
    a debate are returned as `METHOD_unchecked`. `drafts` is the method whose texts were debated.
    """
    of_id = {one.claim_id: one for one in claims}
    explanations = {name: [_explained_claim(one, of_id) for one in them] for name, them in record.written.items()}
    begun = {one.claim_id: one for one in explanations[drafts]}
    before = dict(zip(begun, by.check(list(begun.values())), strict=True))
    for name, them in record.written.items():
        results = {one.claim_id: _result(one.debate) for one in them if one.debate is not None}
        if results:
            explanations[name] = [
                replace(kept_explanation(begun[at], before[at], its, by, MOST_WORDS)[0], debate=its.debate)
                for at, its in results.items()
            ]
            explanations[f"{name}{BLIND}"] = [
                begun[at] if its.revision is None else as_written(begun[at], its.revision)
                for at, its in results.items()
            ]
    return explanations


def _result(debate: Debate) -> Result:
    return Result(last_text(debate, METHODS[debate.method].writer), debate)


def _explained_claim(one: Written, of_id: Mapping[int, ExplainedClaim]) -> ExplainedClaim:
    return replace(of_id[one.claim_id], explanation=one.explanation, cites=one.cites)
