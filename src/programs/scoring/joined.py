"""Traces with the gold claims they are about, the same claims for all of several traces.

But: traces of different claims are refused, not cut to what they share: a comparison says which claims it is over.
"""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from src.claims.labelled import LabelledClaim
from src.claims.texts import with_keys
from src.errors import InputError
from src.programs.records import ClaimTrace
from src.programs.trace_file import located_traces
from src.runner.arguments import in_words
from src.text import folded

NAMED = 5  # claims that a refusal names


class Joined(msgspec.Struct, frozen=True):
    """`traces[s][n]` is what trace file s says of `golds[n]`."""

    golds: list[LabelledClaim]
    traces: list[list[ClaimTrace]]


def join(golds: list[LabelledClaim], gold_file: Path, trace_files: Sequence[Path], ids: Path | None) -> Joined:
    """Every claim of `ids`, where that is given, else those of the first trace, in the order of the gold file.

    Raises InputError for a trace of no such claim or with another text, for a claim without a trace, and where a
    further trace has other claims than the first.
    """
    by_id = {gold.claim_id: gold for gold in golds}
    found = [_traces(path, by_id, gold_file) for path in trace_files]
    if not found[0]:
        raise InputError("holds no claims to score", path=trace_files[0])
    wanted = with_keys(golds, ids) if ids is not None else [gold for gold in golds if gold.claim_id in found[0]]
    chosen = {gold.claim_id for gold in wanted}
    for path, traces in zip(trace_files, found, strict=True):
        _refuse(chosen - traces.keys(), "have no trace here", path)
        if ids is None:
            _refuse(traces.keys() - chosen, f"have no trace in {trace_files[0]}; name the claims with --ids", path)
    return Joined(wanted, [[traces[gold.claim_id] for gold in wanted] for traces in found])


def _traces(path: Path, golds: dict[int, LabelledClaim], gold_file: Path) -> dict[int, ClaimTrace]:
    found = located_traces(path)
    for line, trace in found:
        gold = golds.get(trace.claim_id)
        if gold is None or folded(gold.claim) != folded(trace.claim):
            message = f"claim {trace.claim_id} is not the one of {gold_file}"
            raise InputError(message, path=path, line=line, field="claim")
    return {trace.claim_id: trace for _, trace in found}


def _refuse(claims: set[int], why: str, path: Path) -> None:
    """Names the first few."""
    if claims:
        rest = f" and {len(claims) - NAMED} more" if len(claims) > NAMED else ""
        raise InputError(f"claims {in_words(sorted(claims)[:NAMED])}{rest} {why}", path=path)
