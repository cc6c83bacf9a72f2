"""BM25 over a knowledge store: ours beside the published way, rank_bm25 over NLTK's words.

    python -m bench.bm25 [--turns 3] [--sizes 50000 200000]

For each size of store three drivers take turns, each in a process of its own on one core:

    published   `word_tokenize` of every sentence and of the claim, `BM25Okapi`, its scores, the best 100
    ours        the same from nothing; the same 100 in the same order, or the benchmark stops
    again       the same when the index was kept by a run before: the store is hashed, the index recalled

Seconds are those from sentences to the best 100; reading and parsing the file stand beside. Memory is what the process
has at its peak beyond what it had when the file was parsed. Then, in one process, in-context examples for a sentence
from all of the training split; and the step itself over many claims, with one worker and with all cores.

Limitations: the stores are recombined from real sentences (`bench/recombined_store.py`).
"""

import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

import msgspec
import numpy as np

from bench.recombined_store import real_sentences, recombined, write_store
from src.atomic_file import write_whole
from src.knowledge_store import KnowledgeStore
from src.records import Claim
from src.reranking.index_cache import index_of
from src.reranking.published_ranking import NLTK_WORDS
from src.reranking.questions.examples import ExampleCorpus
from src.runner.workers import cores
from src.store import encode_list, read_claims
from src.text import published_words, words

_ROOT = Path(__file__).resolve().parents[1]
_DATA = Path(os.environ.get("FACTCHECK_SHARED", _ROOT.parent / "shared" / "data")) / "averitec"
PUBLISHED, OURS, AGAIN = DRIVERS = ("published", "ours", "again")
K = 100
QUERY = "The mayor of New York said in 2020 that 5% of the vaccines, which weren't approved, were never used."


class Measured(msgspec.Struct):
    """Measurements of one driver in one turn."""

    parsing: float
    seconds: float
    megabytes: float
    best: list[int]


class StoreResult(msgspec.Struct):
    """Medians of the drivers' turns on stores of one size, the speed relative to the published loop, and the seconds of
    every turn.
    """

    sentences: int
    parsing: float
    seconds: dict[str, float]
    times_as_fast: dict[str, float]
    megabytes: dict[str, float]
    turns: dict[str, list[float]]


class Result(msgspec.Struct):
    """`lookup`: milliseconds for a sentence; `claims`: seconds of the step by number of workers."""

    stores: list[StoreResult]
    examples: int
    lookup: dict[str, float]
    claims: dict[str, float]


def main() -> None:
    args = _parser().parse_args()
    if args.measure:
        sys.stdout.buffer.write(msgspec.json.encode(measure(*args.measure)))
        return
    real = real_sentences(_DATA)
    with tempfile.TemporaryDirectory() as folder:
        stores = [of_store(Path(folder) / str(size), real, size, args.turns) for size in args.sizes]
        claims = of_claims(Path(folder), real, args.turns)
    reference = read_claims(_DATA / "train.json")
    examples, lookup = of_examples(ExampleCorpus(reference), random.Random(0).sample(real, 1_000))
    result = Result(stores, examples, lookup, claims)
    print(f"\nexamples for a sentence, of {examples}: " + ", ".join(f"{n} {ms:.2f} ms" for n, ms in lookup.items()))
    print("claims of 10,000 sentences, 16: " + ", ".join(f"{n} workers {s:.1f} s" for n, s in claims.items()))
    write_whole(args.json, msgspec.json.format(msgspec.json.encode(result), indent=2) + b"\n")


def of_store(folder: Path, real: list[str], size: int, turns: int) -> StoreResult:
    """Measure the drivers in turns on a store. Raises AssertionError when they find different sentences."""
    folder.mkdir()
    write_store(folder / "0.json", real, size)
    _in_process(AGAIN, folder)  # which keeps the index
    runs: dict[str, list[Measured]] = {name: [] for name in DRIVERS}
    for _ in range(turns):
        for name in DRIVERS:
            runs[name].append(_in_process(name, folder))
            assert runs[name][-1].best == runs[PUBLISHED][0].best, f"{name} found others"
    seconds = {name: median(turn.seconds for turn in measured) for name, measured in runs.items()}
    result = StoreResult(
        sentences=size,
        parsing=round(median(turn.parsing for turn in runs[OURS]), 3),
        seconds={name: round(value, 3) for name, value in seconds.items()},
        times_as_fast={name: round(seconds[PUBLISHED] / value, 1) for name, value in seconds.items()},
        megabytes={name: round(median(turn.megabytes for turn in measured)) for name, measured in runs.items()},
        turns={name: [round(turn.seconds, 3) for turn in measured] for name, measured in runs.items()},
    )
    print(f"\n{size} sentences; reading and parsing {result.parsing:.3f} s")
    print(f"{'':12}{'seconds':>10}{'times':>8}{'MB more':>10}")
    for name in DRIVERS:
        print(f"{name:12}{result.seconds[name]:10.3f}{result.times_as_fast[name]:8.1f}{result.megabytes[name]:10.0f}")
    return result


def _in_process(driver: str, folder: Path) -> Measured:
    index = str(folder / "index") if driver == AGAIN else ""
    command = [sys.executable, "-m", "bench.bm25", "--measure", driver, str(folder), index]
    done = subprocess.run(command, cwd=_ROOT, stdout=subprocess.PIPE, check=True)
    return msgspec.json.decode(done.stdout, type=Measured)


def measure(driver: str, folder: str, index: str) -> Measured:
    """Return the measurements of one driver on the store in the folder, in a process that has only loaded what it
    needs.
    """
    from rank_bm25 import BM25Okapi

    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    words(QUERY)
    began = time.perf_counter()
    file = KnowledgeStore(Path(folder)).file(0)
    texts = [sentence.sentence for sentence in file.sentences()]
    parsing, before = time.perf_counter() - began, _megabytes()
    began = time.perf_counter()
    if driver == PUBLISHED:
        scores = BM25Okapi([published_words(text) for text in texts]).get_scores(published_words(QUERY))
        best = [int(place) for place in np.argsort(scores)[::-1][:K]]
    else:
        best = index_of(file, texts, Path(index) if index else None, NLTK_WORDS)[0].top(words(QUERY), K)
    seconds = time.perf_counter() - began
    return Measured(parsing, seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 - before, best)


def _megabytes() -> float:
    """Return the resident memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 2**20


def of_examples(corpus: ExampleCorpus, sentences: Sequence[str]) -> tuple[int, dict[str, float]]:
    """Measure the look-up of ten in-context examples for each sentence, as a run does it; return medians in
    milliseconds a sentence.

    The drivers take turns of 100 sentences, of which the library is given five.
    """
    from rank_bm25 import BM25Okapi

    library = BM25Okapi([published_words(example.answer) for example in corpus.examples])

    def published(sentence: str) -> list[str]:
        order = np.argsort(library.get_scores(published_words(sentence)))[::-1][:10]
        return [corpus.examples[place].piece for place in order]

    def ours(sentence: str) -> list[str]:
        return [example.piece for example in corpus.similar(sentence, 10)]

    seconds: dict[str, list[float]] = {PUBLISHED: [], OURS: []}
    for first in range(0, len(sentences), 100):
        turn = sentences[first : first + 100]
        texts = _timed(ours, turn, seconds[OURS])
        assert texts[:5] == _timed(published, turn[:5], seconds[PUBLISHED])
    return len(corpus.examples), {name: round(1000 * median(each), 3) for name, each in seconds.items()}


def _timed(driver: Callable[[str], list[str]], sentences: Sequence[str], seconds: list[float]) -> list[list[str]]:
    began = time.perf_counter()
    texts = [driver(sentence) for sentence in sentences]
    seconds.append((time.perf_counter() - began) / len(sentences))
    return texts


def of_claims(folder: Path, real: list[str], turns: int) -> dict[str, float]:
    """Return the seconds of the step over 16 claims of 10,000 sentences, without an index, by number of workers.

    Raises AssertionError when the output differs between numbers of workers.
    """
    store = folder / "many"
    for claim_id in range(16):
        write_store(store / f"{claim_id}.json", real, 10_000, seed=claim_id + 1)
    claims = [Claim(text) for text in recombined(real, 16, seed=99)]
    write_whole(folder / "claims.json", encode_list(claims))
    seconds: dict[str, list[float]] = {str(workers): [] for workers in (1, cores())}
    outputs = set()
    for _ in range(turns):
        for workers, times in seconds.items():
            output = folder / f"out{workers}.json"
            command = [sys.executable, "-m", "src.reranking.bm25_sentences", "--quiet", "--overwrite", "--no_index"]
            paths = ["-k", str(store), "-c", str(folder / "claims.json"), "-o", str(output), "--workers", workers]
            began = time.perf_counter()
            subprocess.run([*command, *paths], cwd=_ROOT, check=True)
            times.append(time.perf_counter() - began)
            outputs.add(output.read_bytes())
    assert len(outputs) == 1, "other bytes with other workers"
    return {workers: round(median(times), 2) for workers, times in seconds.items()}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.bm25", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--sizes", type=int, nargs="+", default=[50_000, 200_000])
    parser.add_argument("--json", type=Path, default=_ROOT / "bench" / "results" / "bm25.json")
    parser.add_argument("--measure", nargs=3, metavar=("DRIVER", "STORE", "INDEX"), help=argparse.SUPPRESS)
    return parser


if __name__ == "__main__":
    main()
