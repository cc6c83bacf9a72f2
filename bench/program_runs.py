"""How the figures of programs were made: what the manifests of a part's steps say, in one file that is committed.

`bench/results/program_runs.json` holds for each part of `bench.programs`, by the name of each file that was made, its
step, settings, inputs, model, counts, seconds and revision: how many programs could not be used, what writing cost.

Limitations: seconds are those of the work, without what the cache of answers knew already.
"""

import shlex
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

import msgspec

from bench.scoreboard.record import StepRecord
from bench.scoreboard.steps import made_by
from src.atomic_file import write_whole
from src.runner.fingerprint import InputFile
from src.runner.manifest import manifest_path, read_manifest
from src.store import read_json


class Run(StepRecord, kw_only=True, omit_defaults=True):
    """How a file was made. `inputs` are file names with the first digits of their hashes; `counts` are sums over the
    claims.
    """

    step: str
    claims: int
    inputs: dict[str, str]
    counts: dict[str, int]
    failures: int


Runs = dict[str, dict[str, Run]]


def add_runs(path: Path, part: str, commands: Iterable[str]) -> None:
    """Add the runs of a part's commands to the file. Raises InputError when an output has no manifest."""
    runs = read_runs(path)
    runs[part] = {output.stem: run_of(output) for command in commands for output in outputs(command)}
    write_whole(path, msgspec.json.format(msgspec.json.encode(runs), indent=2) + b"\n")


def read_runs(path: Path) -> Runs:
    """Return the runs collected so far; empty if the file does not exist. Raises InputError for another layout."""
    return read_json(path, Runs) if path.exists() else {}


def outputs(command: str) -> Iterator[Path]:
    """The files that a step leaves: that of its last `-o` or `--json`, all of a folder; none of other programs."""
    words = shlex.split(command)
    given = [Path(value) for flag, value in pairwise(words) if flag in ("-o", "--json")]
    for path in given[-1:]:
        if path.is_dir():
            yield from sorted(one for one in path.glob("*.json") if manifest_path(one).exists())
        else:
            yield path


def _named(one: InputFile) -> str:
    """A folder's hash is over the times of its files, and tells nothing elsewhere."""
    return Path(one.path).name + ("" if one.is_folder else f" sha256 {one.sha256[:12]}")


def run_of(output: Path) -> Run:
    """Raises InputError where there is no manifest."""
    made, manifest = made_by(output), read_manifest(output)
    assert manifest is not None
    held = manifest.fingerprint
    inputs = {name: _named(one) for name, one in held.inputs.items()}
    return Run(
        **msgspec.structs.asdict(made), step=held.step, claims=held.claims, inputs=inputs, counts=manifest.counts,
        failures=manifest.failures,
    )  # fmt: skip
