"""Step: build the report of a run as pages that open from the file system: scores, claims, costs.

    python -m src.report.build_report --run out/x --label_file data/dev.json --compare out/y

Writes `index.html`, `claims.html`, `claim/ID.html` and, for each run to compare with, `compare.html`. Without labels,
the parts that need them are left out. An earlier report is replaced.

Limitations: scores are computed here from the predictions, not read from SPLIT_scores.json.
"""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from src.atomic_folder import whole_folder
from src.report.run.asked import MADE, check_report_folder, labels_of, named_folders, told
from src.report.run.folder import RunFolder
from src.report.run.run import Run, read_run
from src.report.run.scored import golds_of, scored
from src.report.site import Site, write_site
from src.runner.arguments import StepParser, add_range, in_range, step
from src.runner.console import how_many, say
from src.runner.fingerprint import fingerprint
from src.runner.manifest import manifest_path, new_manifest

_MODULE = "src.report.build_report"


@step
def main(argv: Sequence[str] | None = None) -> int:
    began = time.perf_counter()
    args = _parser().parse_args(argv)
    named, *others = named_folders([args.run, *args.compare])
    output = check_report_folder(args.output_dir or named.path / "report", _MODULE)
    folder = RunFolder(named.path, args.split)
    labels = labels_of(args.label_file, folder)
    run = _in_range(read_run(folder, named.name, labels.claims), args, folder)
    beside = [RunFolder(other.path, folder.split) for other in others]
    compared = [read_run(one, other.name, labels.claims) for one, other in zip(beside, others, strict=True)]
    golds = golds_of(labels.claims)
    site = Site(run, folder.split, told(labels, run), golds, scored(run, golds), compared)
    ids = [one.claim_id for one in run.predictions]
    made = fingerprint(_MODULE, args, _inputs(folder, labels.path, beside), ids)
    with whole_folder(output) as aside:
        write_site(site, aside)
        manifest = new_manifest(made, args, seconds={"wall": time.perf_counter() - began})
        manifest_path(aside / MADE).write_bytes(msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n")
    if site.found is None:
        say(f"labels: {site.labels}; nothing is scored")
    say(f"report: {how_many(len(ids), 'claim')} -> {output / 'index.html'}")
    return 0


def _in_range(run: Run, args: argparse.Namespace, folder: RunFolder) -> Run:
    chosen = in_range(run.predictions, args.start, args.end, folder.predictions)
    return run.of_claims({one.claim_id for one in chosen})


def _inputs(folder: RunFolder, labels: Path | None, others: Sequence[RunFolder]) -> dict[str, Path]:
    found = {"predictions": folder.predictions} | ({"label_file": labels} if labels else {})
    return found | {f"compare_{number}": other.predictions for number, other in enumerate(others, 1)}


def _parser() -> argparse.ArgumentParser:
    _, _, described = (__doc__ or "").split("\n\n", 2)
    flags = StepParser(prog=f"python -m {_MODULE}", description=described.split("\n\n")[0])
    flags.add_argument("--run", required=True, metavar="[NAME=]FOLDER", help="what a run left its files in")
    flags.add_argument("--compare", nargs="+", default=[], metavar="[NAME=]FOLDER", help="runs to stand beside it")
    flags.add_argument("--label_file", type=Path, help="gold claims (default data/SPLIT.json, where it is there)")
    flags.add_argument("--split", default="", help="where a folder holds runs of several")
    flags.add_argument("-o", "--output_dir", type=Path, help="default: report, in the run's folder")
    add_range(flags)
    return flags


if __name__ == "__main__":
    raise SystemExit(main())
