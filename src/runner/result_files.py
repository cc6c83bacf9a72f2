"""Result files of steps that print their results: `--json FILE` with scores, `--markdown FILE` with tables."""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from src.errors import InputError
from src.runner.paths import check_output, check_replaced
from src.store import read_bytes

SUFFIX = ".md"


class ResultFiles(Protocol):
    """Settings of a step that has `--json` and `--markdown`; None for a file that is not written."""

    @property
    def json(self) -> Path | None: ...
    @property
    def markdown(self) -> Path | None: ...


def check_results(settings: ResultFiles, inputs: Mapping[str, Path], step: str) -> None:
    """Raise InputError if --json or --markdown would overwrite an input, if both name one file, or if --json would
    overwrite the scores of another step.

    Also raises InputError when the name given to --markdown does not end in `.md`, and OutputError when a file cannot
    be written.
    """
    scores = {} if settings.json is None else {"json": settings.json}
    table = {} if settings.markdown is None else {"markdown": settings.markdown}
    for path in table.values():
        if path.suffix != SUFFIX:
            raise InputError(f"--markdown takes a name that ends in {SUFFIX}", path=path)
        check_output(path, {**inputs, **scores}, "table")
    for path in scores.values():
        check_output(path, {**inputs, **table}, "file of scores")
        check_replaced(path, step, "file of scores")


def check_table(output: Path, document: str) -> None:
    """Raise InputError if the output exists and does not begin with the first line of `document`.

    Tables have no manifest that names their step, so a step replaces only a table with the same first line.
    """
    first = document.partition("\n")[0].encode()
    if output.exists() and read_bytes(output).partition(b"\n")[0] != first:
        raise InputError("is no earlier table of this step; name another file, or remove it", path=output)
