"""File of the steps without a recorded answer, next to the output. Its lines can be filled in and given as answers."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from src.atomic_file import write_whole
from src.errors import InputError
from src.programs.answerers.recorded_answers import Recorded, key
from src.programs.functions import Call
from src.programs.records import Function
from src.store import encode_lines, read_records


def missing_path(output: Path) -> Path:
    """Return the path next to the output: `out/dev_program_trace.json` -> `out/dev_program_trace.missing.jsonl`."""
    return output.with_name(f"{output.name.removesuffix('.json')}.missing.jsonl")


def missing(calls: Iterable[Call]) -> list[Recorded]:
    """Return a line without a value for each call, in order of claim_id; calls with the same answer share a line."""
    lines: dict[tuple[Function, str], Recorded] = {}
    for call in sorted(calls, key=lambda call: call.claim_id):
        lines.setdefault(key(call.function, call.text), Recorded(call.function, call.text, None))
    return list(lines.values())


def write_missing(lines: list[Recorded], path: Path) -> None:
    """Write the lines; without lines, remove the file. Raises OutputError when the file cannot be written."""
    if lines:
        write_whole(path, encode_lines(lines))
    else:
        path.unlink(missing_ok=True)


def refuse_loss(path: Path, inputs: Mapping[str, Path], *, overwrite: bool) -> None:
    """Raise InputError if the run would overwrite answers that a person filled in."""
    if not path.is_file():
        return
    for name, other in inputs.items():
        if path.resolve() == other.resolve():
            raise InputError(f"would be overwritten by this run; give it as --{name} under another name", path=path)
    if not overwrite and any(one.value is not None for one in read_records(path, Recorded)):
        told = "holds answers, which this run would overwrite; rename it and give it as --recorded_answers"
        raise InputError(told, path=path)
