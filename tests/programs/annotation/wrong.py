"""Claims of HOVER that are predicted wrongly, as files and as records."""

import json
from collections.abc import Sequence
from pathlib import Path

from src.claims import LabelledClaim
from src.programs.records import ClaimTrace
from src.store import encode_lines
from tests.programs.answers import F, T
from tests.programs.scoring.traces import gold, questioned, traced, verified

MARKUP = "<b>Ystad</b> & so on"


def trace(claim_id: int) -> ClaimTrace:
    """Return a prediction that is wrong where the claim_id is even."""
    steps = [questioned("Which town?", MARKUP, ("Lund", 1.0)), verified(f"Town {claim_id} is old.", F, uses=[0])]
    return traced(claim_id, F if claim_id % 2 else T, *steps)


def world(number: int, hops: Sequence[int | None] = (2, 3)) -> tuple[list[LabelledClaim], list[ClaimTrace]]:
    """Return false claims with their traces; hops change after every two claims."""
    golds = [gold(n, F, hops=hops[n // 2 % len(hops)], titles=["Lund"]) for n in range(number)]
    return golds, [trace(n) for n in range(number)]


def written(folder: Path, number: int) -> tuple[Path, Path]:
    """Write the claims and their traces, and return both paths."""
    golds, traces = world(number)
    claims, trace_file = folder / "gold.json", folder / "trace.jsonl"
    lines = [
        {"uid": one.key, "claim": one.claim, "label": "NOT_SUPPORTED", "num_hops": one.hops,
         "supporting_facts": [["Lund", 0]]}
        for one in golds
    ]  # fmt: skip
    claims.write_text(json.dumps(lines))
    trace_file.write_bytes(encode_lines(traces))
    return claims, trace_file
