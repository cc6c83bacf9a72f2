"""Output of a baseline that is trained once a seed: a trace for each seed, and one summary."""

import argparse
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

RECIPE = ("train", "learning_rate", "epochs", "batch", "max_length")


def trace_file(folder: Path, seed: int) -> Path:
    return folder / f"seed_{seed}.json"


def summary_file(args: argparse.Namespace) -> Path:
    return args.json or Path(args.output_folder / "summary.json")


def check_summary(step: str, path: Path, folder: Path, inputs: Mapping[str, Path]) -> None:
    """Check that the summary can be written.

    Raises InputError when an existing file would be lost, and OutputError when the summary cannot be written.
    """
    if path.resolve().parent == folder.resolve() and path.name.startswith("seed_"):
        raise InputError("such a name is that of a seed's files; give the summary another one", path=path)
    check_output(path, inputs, "summary")
    check_replaced(path, step, "summary")


def summarise(
    step: str, args: argparse.Namespace, inputs: Mapping[str, Path], model: object,
    claims: Sequence[LabelledClaim], tune: Sequence[LabelledClaim], seeds: list[int], began: float,
) -> None:  # fmt: skip
    """Print and write the scores of the requested seeds, from their files. `began` is a value of `perf_counter`."""
    files = {f"seed_{seed}": trace_file(args.output_folder, seed) for seed in seeds}
    traces = [read_traces(path) for path in files.values()]
    scores = over_seeds(claims, traces, tune, args.seed)
    say("\n".join(lines(scores)), quiet=args.quiet)
    cut = max(_cut(path) for path in files.values())
    if cut:
        say(f"{cut} of {len(claims)} claims are longer than the {args.max_length} word pieces that are read, and were "
            "cut", quiet=args.quiet)  # fmt: skip
    made = fingerprint(step, args, {**inputs, **files}, [one.claim_id for one in claims])
    recipe = {name: getattr(args, name) for name in RECIPE}
    summary = Summary(args.encoder, args.setting, args.examples, seeds, scores, recipe, cut)
    seconds = {"wall": time.perf_counter() - began}
    manifest = new_manifest(made, args, seconds=seconds, notes=upstream_failures(files.values()), model=model)
    path = summary_file(args)
    write_output(path, msgspec.json.format(msgspec.json.encode(summary)) + b"\n", [], manifest)
    say(f"{step.rpartition('.')[2]}: {how_many(len(seeds), 'seed')} -> {path}", quiet=args.quiet)


def _cut(traces: Path) -> int:
    """Return the number of claims of a file that were cut, from its manifest."""
    manifest = read_manifest(traces)
    return manifest.counts.get(CUT, 0) if manifest is not None else 0
