"""One claim from a store of 50,000 sentences to its verdict: each step in a process of its own, as a user runs them.

    python -m bench.one_claim [--claims 3] [--size 50000]

The store is the pool of all of AVeriTeC's sample (`bench/retrieval/pools.py`), shuffled, and recombined sentences of it
up to the size. First with nothing kept, then again with the index and vectors of the first run, all else made anew:
hybrid retrieval of ten sentences, a question for each, the best three pairs, the verdict. Seconds are those of the
processes, with the start of Python and models. Medians over the claims stand beside the limit of 30 s.

But: files may be in the system's cache the first time, too. How good the result is, `python -m bench.scoreboard` says.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

import msgspec

from bench.command import command, positive
from bench.recombined_store import recombined
from bench.retrieval.corpus import Corpus, read_dev, spread
from bench.retrieval.cost import Run, pages
from bench.retrieval.pools import ALL, pools
from bench.scoreboard.published import AVERITEC, ROOT
from bench.scoreboard.steps import QUESTIONS, RERANKING, SENTENCES, VERDICTS
from src.atomic_file import write_whole
from src.llm.measure import machine
from src.records import Claim, Prediction, Sentence
from src.store import encode_lines, encode_list, read_records

LIMIT = 30.0  # seconds
TOP_K, TOP_N = 10, 3


class Measured(msgspec.Struct, frozen=True):
    """One claim: seconds and memory by step, from nothing and again; the questions that were asked, the verdict."""

    claim_id: int
    sentences: int
    pairs: int
    verdict: str
    cold: dict[str, Run]
    again: dict[str, Run]


class Result(msgspec.Struct):
    """`size`: sentences of the store."""

    machine: str
    size: int
    limit: float
    claims: list[Measured] = []


@command
def main(argv: Sequence[str] | None = None) -> int:
    args = _parser().parse_args(argv)
    corpus = read_dev(AVERITEC)
    result = Result(machine(), args.size, LIMIT)
    for claim in spread(corpus.claims, args.claims):
        with tempfile.TemporaryDirectory() as folder:
            result.claims.append(measured(claim, store_of(claim, corpus, args.size), Path(folder), AVERITEC))
        print(f"claim {claim.claim_id}, a store of {args.size} sentences: done", flush=True)
    print(table(result))
    write_whole(args.json, msgspec.json.format(msgspec.json.encode(result), indent=2) + b"\n")
    return 0


def store_of(claim: Claim, corpus: Corpus, size: int) -> list[Sentence]:
    """So many sentences: those that the claim may see, shuffled, then recombined ones on pages of their own."""
    (pool,) = pools(corpus, ALL, [claim], seed=0)
    refused = pool.refused(claim.claim_id)
    real = [one for place, one in enumerate(pool.sentences) if place not in refused][:size]
    texts = list(dict.fromkeys(one.sentence for one in real))
    made = recombined(texts, size - len(real), seed=0) if len(real) < size else []
    return real + [Sentence(text, f"https://{place // 50}.example/") for place, text in enumerate(made)]


def measured(claim: Claim, sentences: Sequence[Sentence], folder: Path, averitec: Path) -> Measured:
    """The four steps twice. Raises CalledProcessError when a step fails; what it said is on stderr."""
    write_whole(folder / "claims.json", encode_list([claim]))
    write_whole(folder / "store" / f"{claim.claim_id}.json", encode_lines(pages(sentences)))
    cold, again = (once(claim, folder, averitec) for _ in range(2))
    (prediction,) = read_records(folder / "verdict.json", Prediction)
    pairs = len(prediction.evidence)
    return Measured(claim.claim_id, len(sentences), pairs, prediction.pred_label.value, cold, again)


def once(claim: Claim, folder: Path, averitec: Path) -> dict[str, Run]:
    """Every step, whatever stands there; the index beside the store is used where it is there."""
    top, asked, evidence, verdict = (folder / f"{name}.json" for name in ("top", "asked", "evidence", "verdict"))
    return {
        "retrieval": _run(SENTENCES, {"-k": folder / "store", "-c": folder / "claims.json", "-o": top,
                                      "--retriever": "hybrid", "--top_k": str(TOP_K)}),
        "questions": _run(QUESTIONS, {"-i": top, "-o": asked, "--reference_corpus": averitec / "train.json"}),
        "reranking": _run(RERANKING, {"-i": asked, "-o": evidence, "--top_n": str(TOP_N)}),
        "verdict": _run(VERDICTS, {"-i": evidence, "-o": verdict}),
    }  # fmt: skip


def _run(module: str, flags: Mapping[str, Path | str]) -> Run:
    paired = [str(part) for pair in flags.items() for part in pair]
    step = [sys.executable, "-m", module, "--quiet", "--overwrite", *paired]
    command = [sys.executable, "-m", "bench.retrieval.launched", *step]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE)
    return msgspec.json.decode(done.stdout, type=Run)


def table(result: Result) -> str:
    """Markdown: medians over the claims, and the sum of a claim's steps."""
    lines = ["| step | from nothing, s | with kept index, s | memory, MB |", "|---|---|---|---|"]
    for name in result.claims[0].cold:
        cold = [one.cold[name] for one in result.claims]
        again = median(one.again[name].seconds for one in result.claims)
        peak = max(run.peak for run in cold) / 1e6
        lines.append(f"| {name} | {median(run.seconds for run in cold):.1f} | {again:.1f} | {peak:.0f} |")
    totals = [[sum(run.seconds for run in runs.values()) for runs in (one.cold, one.again)] for one in result.claims]
    cold_total, again_total = (median(column) for column in zip(*totals, strict=True))
    lines.append(f"| all | {cold_total:.1f} of {result.limit:.0f} | {again_total:.1f} | |")
    return "\n".join(lines)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.one_claim", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--claims", type=positive, default=3, help="so many, at equal distances")
    parser.add_argument("--size", type=positive, default=50_000, help="sentences of the store")
    parser.add_argument("--json", type=Path, default=ROOT / "bench" / "results" / "one_claim.json")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
