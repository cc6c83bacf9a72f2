"""Join of traces with their gold claims; several traces must have the same claims.

Limitations: traces of different claims are rejected, not reduced to their common claims. A comparison therefore always
names its claims.
"""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from src.claims.labelled import LabelledClaim
from src.claims.texts import with_keys
from src.errors import InputError
from src.programs.records import ClaimTrace
from src.programs.trace_file import located_traces
from src.runner.claim_range import in_words
from src.text import folded

NAMED = 5  # claims that an error message lists


class Joined(msgspec.Struct, frozen=True):
    """Claims with their traces: `traces[s][n]` is the trace of `golds[n]` in trace file s."""

    golds: list[LabelledClaim]
    traces: list[list[ClaimTrace]]


def join(golds: list[LabelledClaim], gold_file: Path, trace_files: Sequence[Path], ids: Path | None) -> Joined:
    """Return the claims of `ids`, or else those of the first trace, in the order of the gold file, with their traces.

    Raises InputError when a trace has no such claim or another text, or when a claim has no trace. Without `ids` it is
    also raised when the traces have different claims.
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
    """Raise InputError if there are such claims; the message lists the first ones."""
    if claims:
        rest = f" and {len(claims) - NAMED} more" if len(claims) > NAMED else ""
        raise InputError(f"claims {in_words(sorted(claims)[:NAMED])}{rest} {why}", path=path)
