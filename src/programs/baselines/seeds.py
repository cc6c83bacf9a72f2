"""Output of a baseline that is trained once a seed: a trace for each seed, and one summary."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from src.claims.labelled import LabelledClaim
from src.errors import InputError
from src.programs.baselines.whole_verdicts import CUT
from src.programs.scoring.over_seeds import Summary, lines, over_seeds
from src.programs.trace_file import read_traces
from src.runner.console import how_many, say
from src.runner.fingerprint import fingerprint
from src.runner.manifest import new_manifest, read_manifest, upstream_failures
from src.runner.output import write_output
from src.runner.paths import check_output, check_replaced
from src.settings import StepSettings


def trace_file(folder: Path, seed: int) -> Path:
    return folder / f"seed_{seed}.json"


def check_summary(step: str, path: Path, folder: Path, inputs: Mapping[str, Path]) -> None:
    """Check that the summary can be written.

    Raises InputError when an existing file would be lost, and OutputError when the summary cannot be written.
    """
    if path.resolve().parent == folder.resolve() and path.name.startswith("seed_"):
        raise InputError("such a name is that of a seed's files; give the summary another one", path=path)
    check_output(path, inputs, "summary")
    check_replaced(path, step, "summary")


def summarise(
    step: str, settings: StepSettings, blank: Summary, path: Path, inputs: Mapping[str, Path],
    traces: Mapping[str, Path], claims: Sequence[LabelledClaim], tune: Sequence[LabelledClaim], model: object,
    began: float,
) -> None:  # fmt: skip
    """Print and write the scores of the seeds, from the files `traces`.

    `blank` is the summary without scores. `began` is a value of `perf_counter`.
    """
    scores = over_seeds(claims, [read_traces(one) for one in traces.values()], tune, blank.seeds[0])
    say("\n".join(lines(scores)), quiet=settings.quiet)
    cut = max(_cut(one) for one in traces.values())
    if cut:
        longer = f"{cut} of {len(claims)} claims are longer than the {blank.recipe['max_length']} word pieces"
        say(f"{longer} that are read, and were cut", quiet=settings.quiet)
    made = fingerprint(step, settings, {**inputs, **traces}, [one.claim_id for one in claims])
    seconds = {"wall": time.perf_counter() - began}
    manifest = new_manifest(made, settings, seconds=seconds, notes=upstream_failures(traces.values()), model=model)
    summary = msgspec.structs.replace(blank, scores=scores, cut=cut)
    write_output(path, msgspec.json.format(msgspec.json.encode(summary)) + b"\n", [], manifest)
    say(f"{step.rpartition('.')[2]}: {how_many(len(blank.seeds), 'seed')} -> {path}", quiet=settings.quiet)


def _cut(traces: Path) -> int:
    """Return the number of claims of a file that were cut, from its manifest."""
    manifest = read_manifest(traces)
    return manifest.counts.get(CUT, 0) if manifest is not None else 0
