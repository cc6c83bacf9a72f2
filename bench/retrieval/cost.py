"""Seconds and memory that one claim takes, from nothing and with what was kept, by the pipeline's own step.

    python -m bench.retrieval.cost [--pools own 1000 10000 all] [--claims 3]

A claim's pool is written as its knowledge store, and `bm25_sentences` is run on it, each time in a process of its own:
first with nothing kept, then again. The same on a store of one sentence is the start: Python, packages, and what a
step writes beside its result; from nothing also the encoder, which a second run that encodes nothing does not load.
What a claim takes is the difference. Retrievers take turns, claim by claim.

Limitations: Linux only, whose `ru_maxrss` is in kilobytes. How good the sentences are is `python -m bench.retrieval`.
"""

import argparse
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import msgspec

from bench.retrieval.corpus import SPLITS, Corpus, read_split, spread
from bench.retrieval.pools import ALL, NAMES, OWN, pools
from bench.retrieval.systems import K
from src.atomic_file import write_whole
from src.records import Claim, Document, Sentence
from src.store import encode_lines, encode_list

_ROOT = Path(__file__).resolve().parents[2]
RETRIEVERS = ("bm25", "hybrid")


class Run(msgspec.Struct, frozen=True):
    """Wall seconds and peak memory in bytes of one process."""

    seconds: float
    peak: int


class Cost(msgspec.Struct, frozen=True):
    """Costs of one claim without an index, and again with it; `start` and `start_again` are those of a store of one
    sentence.
    """

    claim_id: int
    sentences: int
    cold: Run
    again: Run
    start: Run
    start_again: Run


class Result(msgspec.Struct):
    """Costs by pool, then by retriever."""

    split: str
    pools: dict[str, dict[str, list[Cost]]] = {}


def main() -> None:
    args = _parser().parse_args()
    corpus = read_split(args.split)
    claims = spread(corpus.claims, args.claims)
    result = Result(args.split)
    for pool in args.pools:
        costs = result.pools[pool] = defaultdict(list)
        for claim in claims:
            for retriever in RETRIEVERS:
                costs[retriever].append(measured(corpus, pool, retriever, claim))
        print(f"{table(pool, costs)}\n", flush=True)
    write_whole(args.json, msgspec.json.format(msgspec.json.encode(result), indent=2) + b"\n")


def measured(corpus: Corpus, pool_name: str, retriever: str, claim: Claim) -> Cost:
    """Return the costs of a claim. Raises CalledProcessError when the step fails; its error is on stderr."""
    (pool,) = pools(corpus, pool_name, [claim], seed=0)
    refused = pool.refused(claim.claim_id)
    sentences = [one for place, one in enumerate(pool.sentences) if place not in refused]
    with tempfile.TemporaryDirectory() as folder:
        cold, again = _twice(Path(folder) / "whole", sentences, retriever, claim)
        start, start_again = _twice(Path(folder) / "start", sentences[:1], retriever, claim)
    return Cost(claim.claim_id, len(sentences), cold, again, start, start_again)


def _twice(folder: Path, sentences: Sequence[Sentence], retriever: str, claim: Claim) -> tuple[Run, Run]:
    """Run the step without an index, and again with the index that it wrote."""
    write_whole(folder / "claims.json", encode_list([claim]))
    write_whole(folder / "store" / f"{claim.claim_id}.json", encode_lines(pages(sentences)))
    step = [sys.executable, "-m", "src.reranking.bm25_sentences", "--quiet", "--overwrite", "--workers", "1"]
    paths = ["-k", str(folder / "store"), "-c", str(folder / "claims.json"), "-o", str(folder / "top.json")]
    step += [*paths, "--retriever", retriever, "--top_k", str(K)]
    command = [sys.executable, "-m", "bench.retrieval.launched", *step]
    runs = [subprocess.run(command, cwd=_ROOT, check=True, stdout=subprocess.PIPE).stdout for _ in range(2)]
    cold, again = (msgspec.json.decode(run, type=Run) for run in runs)
    return cold, again


def pages(sentences: Sequence[Sentence]) -> list[Document]:
    """Return the sentences grouped by page, in the order of the pages' first sentences."""
    of_url: dict[str, list[str]] = defaultdict(list)
    for one in sentences:
        of_url[one.url].append(one.sentence)
    return [Document(url=url, url2text=texts) for url, texts in of_url.items()]


def table(pool: str, by_retriever: dict[str, list[Cost]]) -> str:
    """Return a table of medians over the claims: seconds without the start, and the start beside them."""
    lines = [f"pool {pool}: {median(one.sentences for costs in by_retriever.values() for one in costs):.0f} sentences",
             f"{'':10}{'cold s':>9}{'start s':>9}{'MB':>7}{'again s':>9}{'start s':>9}{'MB':>7}"]  # fmt: skip
    for retriever, costs in by_retriever.items():
        cold = median(cost.cold.seconds - cost.start.seconds for cost in costs)
        again = median(cost.again.seconds - cost.start_again.seconds for cost in costs)
        lines.append(
            f"{retriever:10}{cold:9.2f}{median(cost.start.seconds for cost in costs):9.2f}"
            f"{median(cost.cold.peak for cost in costs) / 1e6:7.0f}"
            f"{again:9.2f}{median(cost.start_again.seconds for cost in costs):9.2f}"
            f"{median(cost.again.peak for cost in costs) / 1e6:7.0f}"
        )
    return "\n".join(lines)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.retrieval.cost", description=(__doc__ or "").split("\n\n")[0]
    )
    parser.add_argument("--split", choices=SPLITS, default="dev")
    parser.add_argument("--pools", nargs="+", choices=NAMES, default=[OWN, ALL])
    parser.add_argument("--claims", type=int, default=3, help="so many, at equal distances")
    parser.add_argument("--json", type=Path, default=_ROOT / "bench" / "results" / "retrieval_cost.json")
    return parser


if __name__ == "__main__":
    main()
