"""Reader of trace files, which `src.programs.execute_programs` writes: one claim a line."""

from pathlib import Path

from src.errors import InputError
from src.programs.records import ClaimTrace
from src.runner.paths import existing_file
from src.store import located, read_bytes, refuse_doubles

MADE_BY = "src.programs.execute_programs"


def read_traces(path: Path) -> list[ClaimTrace]:
    """Return the traces in file order.

    Raises InputError (file, line, field) when a line is not a trace, or a claim occurs twice.
    """
    return [trace for _, trace in located_traces(path)]


def located_traces(path: Path) -> list[tuple[int, ClaimTrace]]:
    """Return the traces like `read_traces`, as pairs of line number and trace."""
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
