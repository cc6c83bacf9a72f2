"""Seconds and memory that one claim takes, each time in a process of its own, where nothing is remembered.

    python -m bench.retrieval.cost POOL SYSTEM CLAIM_ID     prints one line of JSON

What is measured is the product's code on one claim's pool as it would stand in its store: indexing all sentences and
ranking them. Reading the pool is not counted, nor are imports and models: a pool of one sentence is ranked before.

But: Linux only, which can say the most memory since a moment.
"""

import argparse
import re
import subprocess
import sys
import time
from pathlib import Path

import msgspec

from bench.retrieval.corpus import read_split
from bench.retrieval.pools import pools
from bench.retrieval.systems import systems

_ROOT = Path(__file__).resolve().parents[2]


class Cost(msgspec.Struct, frozen=True):
    """`before`: bytes the process held when ranking began, sentences and models included; `peak`: the most since."""

    sentences: int
    seconds: float
    before: int
    peak: int


def measured(split: str, pool: str, system: str, claim_id: int) -> Cost:
    """Raises CalledProcessError when the process fails; what it said is on stderr."""
    command = [sys.executable, "-m", "bench.retrieval.cost", pool, system, str(claim_id), "--split", split]
    done = subprocess.run(command, cwd=_ROOT, check=True, stdout=subprocess.PIPE)
    return msgspec.json.decode(done.stdout, type=Cost)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.retrieval.cost", description=(__doc__ or "").split("\n\n")[0]
    )
    parser.add_argument("pool")
    parser.add_argument("system")
    parser.add_argument("claim_id", type=int)
    parser.add_argument("--split", default="dev")
    args = parser.parse_args()
    corpus = read_split(args.split)
    (claim,) = [claim for claim in corpus.claims if claim.claim_id == args.claim_id]
    (pool,) = pools(corpus, args.pool, [claim], seed=0)
    sentences, index = pool.sentences, systems()[args.system]
    index(sentences[:1])(claim, 1, frozenset())
    Path("/proc/self/clear_refs").write_text("5")  # forgets the peak
    before, began = _memory("VmRSS"), time.perf_counter()
    index(sentences)(claim, 10, pool.refused(claim.claim_id))
    seconds = time.perf_counter() - began
    cost = Cost(len(sentences), seconds, before, _memory("VmHWM"))
    sys.stdout.write(msgspec.json.encode(cost).decode() + "\n")


def _memory(field: str) -> int:
    found = re.search(rf"^{field}:\s+(\d+) kB", Path("/proc/self/status").read_text(), re.MULTILINE)
    assert found, f"{field} is not in /proc/self/status"
    return int(found[1]) * 1024


if __name__ == "__main__":
    main()
