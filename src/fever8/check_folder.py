"""Step: check a submission folder of FEVER-8 against the rules of the task.

    bash script/fever8/check.sh FOLDER --trial 20 --claim_file data/dev.json \\
        --knowledge_store_dir data_store/knowledge_store/dev --reference_corpus data/train.json

Runs run_system.sh twice without a network, on N claims and on one. The difference of the two is the time of the claims,
the rest is the start of the system. Exit code: 0 no rule is broken, 1 one is, 2 bad input.

Limitations: seconds are those of this machine; GPU memory is estimated, not measured. Indexes of the knowledge store
are made within the timed part, although the task lets them be made before.
"""

from pathlib import Path
from typing import Annotated

import msgspec

from src.atomic_file import check_writable, write_whole
from src.errors import InputError
from src.fever8 import checks
from src.fever8.checks import Finding
from src.fever8.memory import Estimate, estimate
from src.fever8.network import blocking
from src.fever8.report import Report, report_of, text_of
from src.fever8.rules import SPLIT_SIZES
from src.fever8.system import System, read_system
from src.fever8.trial import Trial, World, run_trial, world_of
from src.runner.console import say
from src.runner.step import step
from src.settings import Flag, Positive
from src.temporary_folder import temporary_folder

PREFIX = "fever8-trial-"
SAMPLE = Path("data_store/sample")


class CheckSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of a check."""

    folder: Annotated[Path, Flag("the submission folder, after its installation.sh", positional=True)]
    trial: Annotated[int, msgspec.Meta(ge=2), Flag("claims of the trial run, at most", metavar="N")] = 20
    no_trial: Annotated[bool, Flag("check files and sizes only")] = False
    claim_file: Annotated[Path, Flag("claims of the trial")] = SAMPLE / "claims.json"
    knowledge_store_dir: Annotated[Path, Flag("their knowledge store: folder or zip")] = SAMPLE / "knowledge_store"
    reference_corpus: Annotated[
        Path | None, Flag("claims with gold pairs, as train.json for strategies that show examples")
    ] = SAMPLE / "reference.json"
    claims: Annotated[tuple[Positive, ...], Flag("numbers of claims to project the time to")] = SPLIT_SIZES
    json: Annotated[Path | None, Flag("write the report here too", metavar="FILE")] = None


@step(CheckSettings)
def main(settings: CheckSettings) -> int:
    if settings.json:
        check_writable(settings.json)
    if not settings.folder.is_dir():
        raise InputError("no such folder", path=settings.folder)
    report = _report(settings, settings.folder.resolve())
    for line in text_of(report):
        say(line)
    if settings.json:
        write_whole(settings.json, msgspec.json.format(msgspec.json.encode(report)) + b"\n")
    return 0 if report.passed else 1


def _report(settings: CheckSettings, folder: Path) -> Report:
    findings = list(checks.check_files(folder))
    if any(finding.passed is False for finding in findings):
        return report_of(folder, None, [*findings, Finding("run", None, "no trial: files are missing or not sound")])
    system = read_system(folder)
    if not (folder / system.python).exists():
        raise InputError(f"is not installed yet: bash {folder}/installation.sh", path=folder)
    world = world_of(settings.claim_file, settings.knowledge_store_dir, settings.reference_corpus, settings.trial)
    memory, more = _sizes(settings, folder, system, world)
    findings += more
    if settings.no_trial:
        return report_of(folder, system, findings, memory=memory)
    speed, more = _trials(settings, folder, system, world)
    return report_of(folder, system, findings + more, speed, memory)


def _sizes(
    settings: CheckSettings, folder: Path, system: System, world: World
) -> tuple[Estimate | None, list[Finding]]:
    """Return the estimate of GPU memory, and the findings on sizes."""
    stored = sum(world.store.size(claim.claim_id) for claim in world.claims) / len(world.claims)
    rest = [
        checks.check_python(folder, system),
        checks.check_cuda(folder, system),
        checks.check_disk(folder, stored, max(settings.claims)),
    ]
    try:
        memory = estimate(folder, system)
    except InputError as error:
        return None, [Finding("GPU memory", False, str(error)), *rest]
    return memory, [checks.check_gpu(memory), *rest]


def _trials(
    settings: CheckSettings, folder: Path, system: System, world: World
) -> tuple[checks.Speed | None, list[Finding]]:
    """Run the system on all claims of a world and on the first one, and return its speed and the findings."""
    how = blocking()
    with temporary_folder(PREFIX) as place:
        first = msgspec.structs.replace(world, claims=world.claims[:1])
        say(f"trial of {len(world.claims)} claims, without network by a {how}")
        long = run_trial(folder, system, world, place / "long", how)
        findings = [*_of_run(long, world, place / "long", system)]
        if not long.wrote_results:
            return None, [*findings, checks.check_network([long], how)]
        short = run_trial(folder, system, first, place / "short", how)
        findings += _of_run(short, first, place / "short", system)
    findings += [checks.check_network([long, short], how), checks.check_memory([long, short])]
    speed = checks.speed_of(short, long)
    if speed is None:
        return None, [*findings, Finding("speed", None, "not projected: both runs must be seen and end with code 0")]
    return speed, [*findings, *(checks.check_speed(speed, claims) for claims in settings.claims)]


def _of_run(trial: Trial, world: World, place: Path, system: System) -> list[Finding]:
    """Return the findings on one run."""
    ended = checks.check_run(trial)
    if not trial.wrote_results:
        return [ended]
    return [ended, checks.check_results(world, place, system), checks.check_clock(trial), checks.check_scorer(trial)]


if __name__ == "__main__":
    raise SystemExit(main())
