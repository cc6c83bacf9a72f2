"""Checks several claims in one process, as a served page does, and prints the measurements of each as JSON.

    python -m bench.warm_checks < requests.json

Standard input is a list of `Subject`. The first check loads the models; the others are warm.
"""

import resource
import sys
import time
from pathlib import Path

import msgspec

from bench.watched_process import counters
from src.check import CheckedClaim, CheckRequest, Models, Sources, check_claim
from src.check.scraping import Scraping


class Subject(msgspec.Struct, frozen=True):
    """A claim with a knowledge store or URLs; `via` is the prefix by which they are fetched."""

    claim: str
    date: str = ""
    speaker: str = ""
    knowledge_store: str = ""
    urls: tuple[str, ...] = ()
    via: str = ""

    def request(self) -> CheckRequest:
        store = Path(self.knowledge_store) if self.knowledge_store else None
        sources = Sources(urls=self.urls, knowledge_store=store)
        return CheckRequest(self.claim, sources, self.date, self.speaker)

    def scraping(self) -> Scraping:
        return Scraping(via=self.via, allow_private=True) if self.via else Scraping()


class Checked(msgspec.Struct, frozen=True):
    """Measurements of a check: seconds of each stage with their total, processor seconds, peak memory of the process so
    far and bytes read (`Watched`), and the verdict with its level.
    """

    stages: dict[str, float]
    cpu: float
    peak: int
    read: int
    verdict: str


def verdict_of(checked: CheckedClaim) -> str:
    """Return the verdict of a check with its level."""
    return f"{checked.prediction.pred_label} ({checked.prediction.level})"


def main() -> int:
    subjects = msgspec.json.decode(sys.stdin.buffer.read(), type=list[Subject])
    models, results = Models(), []
    for one in subjects:
        began, read = time.process_time(), counters()["rchar"]
        checked = check_claim(one.request(), models=models, scraping=one.scraping())
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        cpu, more = time.process_time() - began, counters()["rchar"] - read
        results.append(Checked(checked.seconds, round(cpu, 2), peak, more, verdict_of(checked)))
    sys.stdout.buffer.write(msgspec.json.encode(results))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
