"""The Ray cluster: overhead of a claim beside the local pool, scaling, and a simulation of many workers.

    python -m bench.cluster steps [--turns 3]
    python -m bench.cluster simulation [--seconds .004 .1 .8] [--workers 8 64 512] [--claims 1000 10000 100000 1000000]

Both write their part of bench/results/cluster.json. See `overhead.py` and `simulation.py`.
"""

import argparse
import subprocess
import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import msgspec

from bench.cluster.overhead import MEASURES, Row, cluster, measured
from bench.cluster.simulation import STEP, Measured
from bench.command import command, positive
from bench.page_figures import a_claim
from bench.scoreboard.published import ROOT
from src.atomic_file import write_whole
from src.llm.measure import machine
from src.store import read_json

SECONDS = (0.004, 0.1, 0.8)  # of a claim: BM25, a short verdict, and a verdict as measured by `steps`
SHORTEST = 10.0  # seconds of a simulated run; a shorter one measures little but its start and end
CLAIMS = (1_000, 10_000, 100_000, 1_000_000)
WORKERS = (8, 64, 512)


class Result(msgspec.Struct):
    """All measurements. `machine`: of the steps; `simulated_on`: of the simulation."""

    machine: str = ""
    steps: list[Row] = []
    simulated_on: str = ""
    simulation: list[Measured] = []


@command
def main(argv: Sequence[str] | None = None) -> int:
    args = _parser().parse_args(argv)
    result = read_json(args.json, Result) if args.json.exists() else Result()
    if args.part == "steps":
        result.machine, result.steps = machine(), []
        with cluster() as address:
            for measure in MEASURES:
                result.steps.append(measured(measure, address, args.turns))
                print(_line(result.steps[-1]), flush=True)
    else:
        result.simulated_on, result.simulation = machine(), []
        for seconds, workers, claims in planned(args.seconds, args.workers, args.claims, args.longest):
            result.simulation.append(_simulated(seconds, workers, claims))
            print(result.simulation[-1], flush=True)
            _write(result, args.json)
    _write(result, args.json)
    return 0


def _write(result: Result, path: Path) -> None:
    write_whole(path, msgspec.json.format(msgspec.json.encode(result), indent=2) + b"\n")


def planned(
    seconds: Sequence[float], workers: Sequence[int], claims: Sequence[int], longest: float
) -> list[tuple[float, int, int]]:
    """Return seconds of a claim, workers and claims of each run to simulate: those of SHORTEST to `longest` seconds."""
    return [one for one in product(seconds, workers, claims) if SHORTEST <= one[0] * one[2] / one[1] <= longest]


def _line(row: Row) -> str:
    times = {name: a_claim(msgspec.to_builtins(row), name) for name in ("local", "ray", "one", "two")}
    return f"{row.step}: milliseconds a claim: " + ", ".join(f"{name} {time:.1f}" for name, time in times.items())


def _simulated(seconds: float, workers: int, claims: int) -> Measured:
    """Return the measurements of a run in a process of its own. Raises CalledProcessError when it fails."""
    run = [sys.executable, "-m", STEP, "--workers", str(workers), "--claims", str(claims), "--seconds", str(seconds)]
    done = subprocess.run(run, cwd=ROOT, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return msgspec.json.decode(done.stdout.splitlines()[-1], type=Measured)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.cluster", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("part", choices=("steps", "simulation"))
    parser.add_argument("--turns", type=positive, default=3, help="of each step")
    parser.add_argument("--seconds", type=float, nargs="+", default=SECONDS, help="of a simulated claim")
    parser.add_argument("--workers", type=positive, nargs="+", default=WORKERS)
    parser.add_argument("--claims", type=positive, nargs="+", default=CLAIMS)
    parser.add_argument(
        "--longest", type=positive, default=200, help="seconds of a simulated run; longer ones are left out"
    )
    parser.add_argument("--json", type=Path, default=ROOT / "bench" / "results" / "cluster.json")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
