"""Checks of a submission folder against the rules of FEVER-8: each gives findings, which are passed or broken."""

import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from src.errors import InputError
from src.fever8.memory import FORMULA, Estimate
from src.fever8.network import Blocking
from src.fever8.rules import CUDA, DISK_BYTES, GPU_BYTES, MEMORY_BYTES, PYTHON, SECONDS_A_CLAIM
from src.fever8.system import OWN_FILES, PREDICTIONS, SCRIPTS, SUBMISSION, SYSTEM_FILE, System
from src.fever8.trial import SPLIT, Trial, World, results
from src.pipeline.submit_fever8 import fever8_table
from src.prediction.prediction_files import join, read_guesses
from src.records import Prediction
from src.runner.console import duration, how_many
from src.store import read_by_claim

SLACK = 2.0  # seconds by which the two clocks of a run may differ
NEEDED = (*SCRIPTS, *OWN_FILES, SYSTEM_FILE, "requirements.txt", "script/setup.sh", "src/fever8/infer.py")


class Finding(msgspec.Struct, frozen=True):
    """Result of one check.

    `rule`: short name of the rule.
    `passed`: False if the rule is broken; None if it does not follow from what was seen.
    `detail`: what was seen.
    """

    rule: str
    passed: bool | None
    detail: str


class Speed(msgspec.Struct, frozen=True):
    """Time of a system on one machine: seconds of its start, and of each claim after that."""

    start: float
    claim: float

    def average(self, claims: int) -> float:
        """Return the average seconds a claim of a run over so many claims, which starts once."""
        return self.start / claims + self.claim


def check_files(folder: Path) -> Iterator[Finding]:
    """Yield the findings on the files of a folder: all there, executable, scripts that bash can read."""
    missing = [name for name in NEEDED if not (folder / name).is_file()]
    yield Finding("files", not missing, f"missing: {', '.join(missing)}" if missing else f"all {len(NEEDED)} are there")
    scripts = [folder / name for name in SCRIPTS if name not in missing]
    closed = [path.name for path in scripts if not os.access(path, os.X_OK)]
    yield Finding("executable", not closed, f"not executable: {', '.join(closed)}" if closed else "all scripts")
    for path in scripts:
        done = subprocess.run(["bash", "-n", str(path)], capture_output=True, text=True, check=False)
        if done.returncode:
            yield Finding("scripts", False, f"{path.name} is no bash script: {done.stderr.strip().splitlines()[0]}")


def check_gpu(estimated: Estimate) -> Finding:
    """Return the finding on GPU memory."""
    weights = sum(estimated.models.values())
    cache = f"{_gb(estimated.cache)} for {estimated.tokens} tokens" if estimated.tokens else "none"
    detail = f"{_gb(estimated.total)} of {_gb(GPU_BYTES)} estimated: {FORMULA}; weights {_gb(weights)}, cache {cache}"
    return Finding("GPU memory", estimated.total <= GPU_BYTES, detail)


def check_cuda(folder: Path, system: System) -> Finding:
    """Return the finding on the CUDA libraries of the installed torch; a newer CUDA is a note."""
    packages = sorted((folder / system.python).parent.parent.glob("lib/python*/site-packages/nvidia_cuda_runtime*"))
    versions = {match[1] for path in packages if (match := re.search(r"-(\d+)\.[\d.]+\.dist-info$", path.name))}
    if not versions:
        return Finding("CUDA", None, "torch is a build for the processor only, or not installed")
    what = f"torch brings CUDA {', '.join(sorted(versions))}; the machine's driver is for CUDA {CUDA}"
    if any(int(version) > CUDA for version in versions):
        return Finding("CUDA", None, f"{what}: the models would run on its processor")
    return Finding("CUDA", True, what)


def check_python(folder: Path, system: System) -> Finding:
    """Return the finding on the Python of the installed environment; another one than the task's is a note."""
    config = (folder / system.python).parent.parent / "pyvenv.cfg"
    text = config.read_text("utf-8") if config.is_file() else ""
    match = re.search(r"^version(?:_info)? = ([\d.]+)", text, re.MULTILINE)
    version = match[1] if match else "none"
    is_same = version.startswith(f"{PYTHON}.")
    return Finding("Python", True if is_same else None, f"installed: {version}; the task's machine has {PYTHON}")


def check_disk(folder: Path, store_bytes: float, claims: int) -> Finding:
    """Return the finding on the disk: the folder as it is, and a knowledge store of so many claims."""
    files = {path.lstat().st_ino: path.lstat().st_size for path in folder.rglob("*") if path.is_file()}
    used, stored = sum(files.values()), int(store_bytes * claims)
    each = f"{store_bytes / 1e6:.3g} MB a claim as in the trial"
    what = f"folder {_gb(used)}, knowledge store of {claims} claims {_gb(stored)} ({each})"
    detail = f"{_gb(used + stored)} of {_gb(DISK_BYTES)}: {what}"
    return Finding("disk", used + stored <= DISK_BYTES, detail)


def check_memory(trials: Sequence[Trial]) -> Finding:
    """Return the finding on memory."""
    most = max(trial.memory for trial in trials)
    return Finding("memory", most <= MEMORY_BYTES, f"{_gb(most)} of {_gb(MEMORY_BYTES)} at most in the trial")


def check_run(trial: Trial) -> Finding:
    """Return the finding on the end of a run."""
    claims = how_many(trial.claims, "claim")
    if trial.code is None:
        return Finding("run", False, f"{claims}: stopped after {duration(trial.limit)}: too slow")
    if trial.code:
        why = "some claims failed: " * (trial.code == 1) + " / ".join(trial.log)
        return Finding("run", False, f"{claims}: run_system.sh ended with code {trial.code}: {why}")
    seconds = f" after {trial.seen.seconds:.1f} s of inference" if trial.seen else ""
    return Finding("run", True, f"{claims}: run_system.sh ended with code 0{seconds}")


def check_network(trials: Sequence[Trial], how: Blocking) -> Finding:
    """Return the finding on the network: no attempt to reach another machine."""
    hosts = sorted({host for trial in trials for host in trial.attempts})
    weaker = (
        "" if how is Blocking.NAMESPACE else "; weaker: only Python is blocked, since no namespace can be made here"
    )
    if hosts:
        return Finding("offline", False, f"the run tried to reach {', '.join(hosts)} (blocked by a {how}{weaker})")
    return Finding("offline", True, f"Python made no attempt to reach another machine; blocked by a {how}{weaker}")


def check_clock(trial: Trial) -> Finding:
    """Return the finding on measured_timings.txt: it has the main execution, as long as it was seen to be."""
    if trial.main is None:
        return Finding("timings", False, "measured_timings.txt has no line for the main execution")
    if trial.seen is None:
        return Finding("timings", False, "system_inference.sh did not run as a separate process")
    written, seen = trial.main.seconds, trial.seen.seconds
    detail = f"main execution: {written:.1f} s in measured_timings.txt, {seen:.1f} s seen from outside"
    return Finding("timings", abs(written - seen) <= SLACK, detail)


def check_scorer(trial: Trial) -> Finding:
    """Return the finding on the scorer: the labels are first read after system_inference.sh has ended."""
    if trial.seen is None:
        return Finding("scorer", None, "system_inference.sh was not seen")
    if trial.labels_read is None:
        return Finding("scorer", True, "nothing read the labels")
    after = trial.labels_read - max(trial.seen.ended, trial.main.ended if trial.main else 0.0)
    if after < -SLACK / 10:
        return Finding("scorer", False, f"the labels were read {-after:.1f} s before the timed part ended")
    return Finding(
        "scorer", True, f"the labels were first read after the timed part had ended (by {max(after, 0):.2f} s)"
    )


def check_results(world: World, place: Path, system: System) -> Finding:
    """Return the finding on the two files of results: a verdict for each claim, the same in both."""
    folder = results(place, system)
    table, predictions = folder / SUBMISSION, folder / f"{SPLIT}_{PREDICTIONS}"
    try:
        guesses = join(world.claims, read_guesses(table), table)
        made = read_by_claim(predictions, Prediction)
    except InputError as error:
        return Finding("results", False, str(error))
    if table.read_bytes() != fever8_table(made, SPLIT).encode():
        return Finding("results", False, f"{table.name} and {predictions.name} differ")
    bare = sum(not guess.pairs for guess in guesses)
    return Finding("results", True, f"{how_many(len(guesses), 'verdict')} in both files; {bare} without evidence")


def speed_of(short: Trial, long: Trial) -> Speed | None:
    """Return the speed by two runs with different numbers of claims; None if one of them failed or has no time.

    A claim takes the difference of the times by the difference of the claims. The rest of the shorter run is the start.
    """
    if short.seen is None or long.seen is None or short.code != 0 or long.code != 0:
        return None
    claim = max(0.0, (long.seen.seconds - short.seen.seconds) / (long.claims - short.claims))
    return Speed(max(0.0, short.seen.seconds - claim * short.claims), claim)


def check_speed(speed: Speed, claims: int) -> Finding:
    """Return the finding on the average time of a run over so many claims."""
    average = speed.average(claims)
    detail = (
        f"{claims} claims: {average:.2f} s a claim of {SECONDS_A_CLAIM:.0f} s "
        f"(start {speed.start:.1f} s once, then {speed.claim:.2f} s a claim; {duration(average * claims)} in all)"
    )
    return Finding("speed", average <= SECONDS_A_CLAIM, detail)


def _gb(size: float) -> str:
    return f"{size / 1e9:.2f} GB"
