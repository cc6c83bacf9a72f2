"""Readers of files with programs: those of `generate_programs`, the published ones, and traces.

Ours is `{"claim_id", "claim", "programs": [text, ...]}`. In the published file, programs are in `predicted_programs`,
each a list of lines and sometimes nested one level too deep; claims are numbered by `idx`. Traces are written by
`src.programs.execute_programs`, one claim a line.
"""

from pathlib import Path
from typing import Any

import msgspec

from src.errors import InputError
from src.programs.records import ClaimPrograms, ClaimTrace
from src.records import ClaimId, NonBlank
from src.runner.paths import existing_file
from src.store import located, read_bytes, refuse_doubles

_WANTED = "programs are read here, as src.programs.generate_programs writes them"


class _Line(msgspec.Struct):
    claim: NonBlank
    claim_id: ClaimId | None = None
    idx: ClaimId | None = None
    programs: list[Any] | None = None
    predicted_programs: list[Any] | None = None
    fallback: list[bool] = []


def read_programs(path: Path) -> list[ClaimPrograms]:
    """Return the programs of all claims in file order; a claim without a number gets its 0-based place.

    Raises InputError (file, line, field) when a line cannot be read, or a number occurs twice.
    """
    found = [
        (line, _claim(one, place, path, line))
        for place, (line, one) in enumerate(located(read_bytes(path), _Line, path))
    ]
    refuse_doubles([(line, claim.claim_id) for line, claim in found], path)
    return [claim for _, claim in found]


def first_programs(claim: ClaimPrograms, number: int | None) -> ClaimPrograms:
    """Return the claim with only its first `number` programs; None: all."""
    return ClaimPrograms(claim.claim_id, claim.claim, claim.programs[:number], claim.fallback[:number])


def _claim(read: _Line, place: int, path: Path, line: int) -> ClaimPrograms:
    held = read.programs if read.programs is not None else read.predicted_programs
    if held is None:
        raise InputError(f"missing ({_WANTED})", path=path, line=line, field="programs")
    while len(held) == 1 and isinstance(held[0], list) and held[0] and all(isinstance(one, list) for one in held[0]):
        held = held[0]
    try:
        texts = [_text(one) for one in held]
    except TypeError as error:
        raise InputError(f"{error} ({_WANTED})", path=path, line=line, field="programs") from None
    number = next((one for one in (read.claim_id, read.idx) if one is not None), place)
    return ClaimPrograms(number, read.claim, texts, read.fallback)


def _text(program: object) -> str:
    if isinstance(program, str):
        return program
    if isinstance(program, list):
        return "\n".join(map(_text, program))
    raise TypeError(f"neither a text nor a list of lines: {str(program)[:40]}")


MADE_BY = "src.programs.execute_programs"


def read_traces(path: Path) -> list[ClaimTrace]:
    """Return the traces of all claims in file order.

    Raises InputError (file, line, field) when a line is not a trace, or a claim occurs twice.
    """
    return [trace for _, trace in located_traces(path)]


def located_traces(path: Path) -> list[tuple[int, ClaimTrace]]:
    """Return pairs of line number and trace, in file order.

    Raises InputError (file, line, field) when a line is not a trace, or a claim occurs twice.
    """
    data = read_bytes(existing_file(path, MADE_BY))
    try:
        found = located(data, ClaimTrace, path)
    except InputError as error:
        if not error.message.startswith(("missing", "Expected")):
            raise
        message = f"{error.message} (a trace is read here, as {MADE_BY} writes it)"
        raise InputError(message, path=path, line=error.line, field=error.field) from None
    refuse_doubles([(line, trace.claim_id) for line, trace in found], path)
    return found
