"""Several runs of one step in sequence: the same claims by several methods, or with several seeds."""

from collections.abc import Sequence
from typing import TypeVar

from src.runner.console import duration, say
from src.runner.estimate import report
from src.runner.job import Job, estimated, run
from src.runner.outcome import HasClaimId
from src.runner.paths import check_output

In = TypeVar("In", bound=HasClaimId)
Out = TypeVar("Out")


def run_all(jobs: Sequence[Job[In, Out]], *, alike: bool = False) -> int:
    """Run the jobs in order and return 0 if every claim of each succeeded, else 1.

    With --dry_run, print estimates and return 0; if the jobs are `alike`, only the first one is estimated. Raises
    FatalError. All outputs are checked before the first job begins.
    """
    for job in jobs:
        check_output(job.output, job.inputs)
    if not jobs[0].settings.dry_run:
        return max(map(run, jobs))
    timed = jobs[:1] if alike else jobs
    estimates = [estimated(job) for job in timed]
    for job, estimate in zip(timed, estimates, strict=True):
        say(report(job.name, estimate, job.output))
    seconds = sum(estimate.seconds for estimate in estimates) * len(jobs) / len(timed)
    say(f"  in all   about {duration(seconds)} for {len(jobs)} such runs")
    return 0
