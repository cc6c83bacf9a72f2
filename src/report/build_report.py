"""Step: build the report of a run as pages that open from the file system: scores, claims, costs.

    python -m src.report.build_report --run out/x --label_file data/dev.json --compare out/y

Writes `index.html`, `claims.html`, `claim/ID.html` and, for each run to compare with, `compare.html`. Without labels,
the parts that need them are left out. An earlier report is replaced.

Limitations: scores are computed here from the predictions, not read from SPLIT_scores.json.
"""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec

from src.atomic_folder import whole_folder
from src.report.judged import judged_view
from src.report.run import Run, RunFolder, labels_of, named_folders, origin_of, read_run
from src.report.scores import golds_of, scored
from src.report.site import MANIFEST, Site, check_report_folder, write_site
from src.runner.claim_range import ClaimRange, Claims, in_range
from src.runner.console import how_many, say
from src.runner.fingerprint import fingerprint
from src.runner.manifest import manifest_path, new_manifest
from src.runner.step import step
from src.settings import Flag

STEP = "src.report.build_report"


class ReportSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the step `build_report`."""

    run: Annotated[str, Flag("folder of a run's files", metavar="[NAME=]FOLDER")]
    compare: Annotated[tuple[str, ...], Flag("runs to compare with", metavar="[NAME=]FOLDER")] = ()
    label_file: Annotated[Path | None, Flag("gold claims (default: data/SPLIT.json, if it exists)")] = None
    split: Annotated[str, Flag("needed if the folder holds runs of several splits")] = ""
    output_dir: Annotated[Path | None, Flag("default: report, in the run's folder", "-o", "--output_dir")] = None
    range: Claims = ClaimRange()


@step(ReportSettings)
def main(settings: ReportSettings) -> int:
    began = time.perf_counter()
    named, *others = named_folders([settings.run, *settings.compare])
    output = check_report_folder(settings.output_dir or named.path / "report", STEP)
    folder = RunFolder(named.path, settings.split)
    labels = labels_of(settings.label_file, folder)
    run = _in_range(read_run(folder, named.name, labels.claims), settings.range, folder)
    beside = [RunFolder(other.path, folder.split) for other in others]
    compared = [read_run(one, other.name, labels.claims) for one, other in zip(beside, others, strict=True)]
    golds = golds_of(labels.claims)
    site = Site(
        run, folder.split, origin_of(labels, run), golds, scored(run, golds), compared, judged_view(folder, run)
    )
    ids = [one.claim_id for one in run.predictions]
    made = fingerprint(STEP, settings, _inputs(folder, labels.path, beside), ids)
    with whole_folder(output) as aside:
        write_site(site, aside)
        manifest = new_manifest(made, settings, seconds={"wall": time.perf_counter() - began})
        manifest_path(aside / MANIFEST).write_bytes(
            msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n"
        )
    if site.scored is None:
        say(f"labels: {site.labels}; nothing is scored")
    say(f"report: {how_many(len(ids), 'claim')} -> {output / 'index.html'}")
    return 0


def _in_range(run: Run, claims: ClaimRange, folder: RunFolder) -> Run:
    chosen = in_range(run.predictions, claims.start, claims.end, folder.predictions)
    return run.of_claims({one.claim_id for one in chosen})


def _inputs(folder: RunFolder, labels: Path | None, others: Sequence[RunFolder]) -> dict[str, Path]:
    """Return the files that the fingerprint of the report covers, by their names in the manifest."""
    files = {"predictions": folder.predictions} | ({"label_file": labels} if labels else {})
    return files | {f"compare_{number}": other.predictions for number, other in enumerate(others, 1)}


if __name__ == "__main__":
    raise SystemExit(main())
