"""Replacement for SLURM's `sbatch`: runs jobs on this machine, in the order in which they are submitted.

It is called as `python sbatch.py FOLDER [sbatch's arguments]`. FOLDER keeps the exit code of each element, the call of
each job, and the failures to inject: a line `NAME ELEMENT` in the file `fail` ends that element of the job NAME with
code 9 before it begins.

Limitations: an element runs to its end before the next one; the options that tests need are known, others are refused.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

REFUSED = "never run: its dependency cannot be satisfied"


def main(folder: Path, argv: list[str]) -> int:
    options = _options(argv)
    calls = folder / "calls.jsonl"
    number = len(calls.read_text().splitlines()) + 1 if calls.exists() else 1
    with calls.open("a") as file:
        file.write(json.dumps({"job": number, **vars(options)}) + "\n")
    script = folder / "spool" / f"{number}" / "slurm_script"  # slurmd runs a copy, too
    script.parent.mkdir(parents=True)
    shutil.copy(Path(options.chdir) / options.script, script)
    elements = _elements(options.array) if options.array else [None]
    codes = {str(element): _run(folder, options, number, script, element) for element in elements}
    (folder / f"job.{number}").write_text(json.dumps(codes))
    print(f"{number};test" if options.parsable else f"Submitted batch job {number}")
    return 0


def _options(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="sbatch", allow_abbrev=False)
    for name in ("job-name", "chdir", "output", "dependency", "array", "cpus-per-task", "mem", "time", "gres",
                 "kill-on-invalid-dep"):  # fmt: skip
        parser.add_argument(f"--{name}", default="")
    parser.add_argument("--parsable", action="store_true")
    parser.add_argument("script")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    return parser.parse_args(argv)


def _elements(expression: str) -> list[int]:
    """Return the elements of an expression such as `0,3-5%2`."""
    numbers: list[int] = []
    for span in expression.partition("%")[0].split(","):
        low, _, high = span.partition("-")
        numbers += range(int(low), int(high or low) + 1)
    return numbers


def _may_run(folder: Path, dependency: str, element: int | None) -> bool:
    if not dependency:
        return True
    kind, job = dependency.split(":")
    codes = json.loads((folder / f"job.{job}").read_text())
    if kind == "aftercorr":
        return bool(codes[str(element)] == 0)  # KeyError: arrays of different elements
    assert kind == "afterok"
    return all(code == 0 for code in codes.values())


def _run(folder: Path, options: argparse.Namespace, number: int, script: Path, element: int | None) -> int | str:
    if not _may_run(folder, options.dependency, element):
        return REFUSED
    failures = folder / "fail"
    if failures.exists() and f"{options.job_name} {element}" in failures.read_text().splitlines():
        return 9
    job = {"SLURM_JOB_ID": f"{number}", "SLURM_CPUS_PER_TASK": options.cpus_per_task or "1"}
    if element is not None:
        job["SLURM_ARRAY_TASK_ID"] = f"{element}"
    names = {"%x": options.job_name, "%A": number, "%a": element, "%j": number}
    log = Path(options.chdir) / options.output
    for pattern, value in names.items():
        log = log.with_name(log.name.replace(pattern, str(value)))
    with log.open("w") as file:
        command = ["bash", str(script), *options.arguments]
        return subprocess.run(command, cwd=options.chdir, env={**os.environ, **job}, stdout=file, stderr=file,
                              check=False).returncode  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1]), sys.argv[2:]))
