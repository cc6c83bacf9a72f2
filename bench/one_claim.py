"""One claim from a store of 50,000 sentences to its verdict: each step of the pipeline as a command of its own.

    python -m bench.one_claim [--claims 3] [--size 50000]

The store is the pool of all of AVeriTeC's sample (`bench/retrieval/pools.py`), shuffled, and recombined sentences of it
up to the size. The steps are hybrid retrieval of ten sentences, a question for each, the best three pairs, the verdict.
They run without an index, then again with the index and vectors of the first run. Seconds are those of the processes,
with the start of Python and of models. Medians over the claims are compared with the limit of 30 s.

Limitations: files may be in the system's cache the first time, too. The quality of the result is not measured; see
`python -m bench.scoreboard`. `python -m src.check` runs all stages in one process.
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
    """Measurements of one claim: seconds and memory of each step without an index (`cold`) and with it (`again`),
    number of sentences and pairs, verdict.
    """

    claim_id: int
    sentences: int
    pairs: int
    verdict: str
    cold: dict[str, Run]
    again: dict[str, Run]


class Result(msgspec.Struct):
    """Measurements of several claims; `size` is the number of sentences in each store."""

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
    """Return `size` sentences: those that the claim may use, shuffled, then recombined sentences on pages of
    their own.
    """
    (pool,) = pools(corpus, ALL, [claim], seed=0)
    refused = pool.refused(claim.claim_id)
    real = [one for place, one in enumerate(pool.sentences) if place not in refused][:size]
    texts = list(dict.fromkeys(one.sentence for one in real))
    made = recombined(texts, size - len(real), seed=0) if len(real) < size else []
    return real + [Sentence(text, f"https://{place // 50}.example/") for place, text in enumerate(made)]


def measured(claim: Claim, sentences: Sequence[Sentence], folder: Path, averitec: Path) -> Measured:
    """Run the four steps twice and return their measurements. Raises CalledProcessError when a step fails; its error is
    on stderr.
    """
    write_whole(folder / "claims.json", encode_list([claim]))
    write_whole(folder / "store" / f"{claim.claim_id}.json", encode_lines(pages(sentences)))
    cold, again = (once(claim, folder, averitec) for _ in range(2))
    (prediction,) = read_records(folder / "verdict.json", Prediction)
    pairs = len(prediction.evidence)
    return Measured(claim.claim_id, len(sentences), pairs, prediction.pred_label.value, cold, again)


def once(claim: Claim, folder: Path, averitec: Path) -> dict[str, Run]:
    """Run every step, overwriting earlier outputs, and return seconds and memory of each; an index beside the store is
    used.
    """
    top, questions, evidence, verdict = (folder / f"{name}.json" for name in ("top", "asked", "evidence", "verdict"))
    return {
        "retrieval": _run(SENTENCES, {"-k": folder / "store", "-c": folder / "claims.json", "-o": top,
                                      "--retriever": "hybrid", "--top_k": str(TOP_K)}),
        "questions": _run(QUESTIONS, {"-i": top, "-o": questions, "--reference_corpus": averitec / "train.json"}),
        "reranking": _run(RERANKING, {"-i": questions, "-o": evidence, "--top_n": str(TOP_N)}),
        "verdict": _run(VERDICTS, {"-i": evidence, "-o": verdict}),
    }  # fmt: skip


def _run(module: str, flags: Mapping[str, Path | str]) -> Run:
    paired = [str(part) for pair in flags.items() for part in pair]
    step = [sys.executable, "-m", module, "--quiet", "--overwrite", *paired]
    command = [sys.executable, "-m", "bench.retrieval.launched", *step]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE)
    return msgspec.json.decode(done.stdout, type=Run)


def table(result: Result) -> str:
    """Return a Markdown table of medians over the claims, with the sum of a claim's steps."""
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
