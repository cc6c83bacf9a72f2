"""Files that a step which prints its results can also write: `--json`, and `--markdown` with its tables."""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from src.errors import InputError
from src.runner.paths import check_output, check_replaced
from src.store import read_bytes

SUFFIX = ".md"


class ResultFiles(Protocol):
    """Settings that name the files."""

    @property
    def json(self) -> Path | None: ...
    @property
    def markdown(self) -> Path | None: ...


def check_results(settings: ResultFiles, inputs: Mapping[str, Path], step: str) -> None:
    """Raise InputError if --json or --markdown would overwrite an input, one another, or scores of another step.

    Also raises InputError when the name given to --markdown has another suffix than `.md`, and OutputError when a file
    cannot be written.
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
    """Raise InputError if a file exists that does not begin with the document's first line.

    A table has no manifest that says which step wrote it, so only a table with the same first line is replaced.
    """
    first = document.partition("\n")[0].encode()
    if output.exists() and read_bytes(output).partition(b"\n")[0] != first:
        raise InputError("is no earlier table of this step; name another file, or remove it", path=output)
