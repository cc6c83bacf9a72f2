"""A corpus of paragraphs: what making, keeping, opening and asking its index takes, and how that grows.

    python -m bench.corpus [--sizes 10000 100000 1000000] [--dense 100000] [--no_quality]

Corpora are made by seeded recombination: each paragraph has the title of one of HOVER's 3,619, with a number of its
own, so that the vocabulary grows with the corpus as names make it do, and as many sentences as one of them, drawn from
all. Claims of HOVER are the queries. Every measurement stands in a process of its own; loading packages is not counted;
memory is the most that it held (VmHWM). Growth is the exponent e in n^e between the smallest and the largest corpus.

Vectors: what a search takes does not depend on what they say, so those of the dense corpus are drawn; encoding is timed
on paragraphs of HOVER. Quality: how many of the paragraphs that support a claim (their titles are given) are among the
best 10 and 20 of HOVER's 3,619, for every claim.

Limitations: the quality is that of a small corpus; among millions of paragraphs fewer are found. The weight of `hybrid`
was chosen on the same claims (`LEXICAL` in `src/reranking/corpus/corpus.py`).
"""

import argparse
import math
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import fmean, median, quantiles
from typing import TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from src.atomic_file import atomic, write_whole
from src.models.encoder import load_encoder
from src.records import Paragraph
from src.reranking.bm25 import BM25
from src.reranking.corpus.corpus import Corpus, whole_text
from src.reranking.corpus.nearest import Nearest
from src.reranking.hybrid.own_words import own_words
from src.reranking.largest import largest
from src.store import encode_line, read_records
from src.text import numbered_words, sentences, words

_ROOT = Path(__file__).resolve().parents[1]
_DATA = Path(os.environ.get("FACTCHECK_SHARED", _ROOT.parent / "shared" / "data")) / "programfc"
PARAGRAPHS, CLAIMS = "hover_wiki_paragraphs.jsonl.gz", "hover_dev_gold_evidence.jsonl.gz"
K = 10
WIDTH = 384  # of all-MiniLM-L6-v2

T = TypeVar("T")


class HoverClaim(msgspec.Struct):
    """A claim with the titles (and sentence numbers) that support it."""

    claim: str
    supporting_facts: list[tuple[str, int]]


class BuildCost(msgspec.Struct):
    """Seconds and peak memory of building the index, and bytes of the paragraphs' file and of the index."""

    seconds: float
    peak_bytes: int
    file_bytes: int
    index_bytes: int


class QueryCost(msgspec.Struct):
    """Milliseconds of queries to an index on disk: opening it, the first query, then each of the others.

    `postings`: median number, over queries, of pairs of a word of the query and a paragraph that has it.
    `most_frequent`: share of these pairs that the two most frequent words have.
    """

    open_ms: float
    first_ms: float
    median_ms: float
    p95_ms: float
    postings: int
    most_frequent: float
    peak_bytes: int


class Size(msgspec.Struct):
    paragraphs: int
    made: BuildCost
    asked: QueryCost


class Dense(msgspec.Struct):
    """Milliseconds of a query by its vector, alone and in a batch of 32."""

    paragraphs: int
    index_bytes: int
    open_ms: float
    alone_ms: float
    batch_ms: float
    peak_bytes: int


class Quality(msgspec.Struct):
    """Mean share of a claim's supporting paragraphs among the best 10 and 20."""

    at_10: float
    at_20: float


class Result(msgspec.Struct):
    bm25: list[Size]
    growth: dict[str, float]
    dense: Dense | None = None
    encoded_a_second: float | None = None
    quality: dict[str, Quality] = {}


def main() -> None:
    args = _parser().parse_args()
    if args.child:
        print(msgspec.json.encode(CHILDREN[args.child](args)).decode())
        return
    with tempfile.TemporaryDirectory(prefix="corpus-", dir=args.work) as folder:
        result = Result([measured(size, Path(folder), args.seed) for size in args.sizes], {})
        if len(result.bm25) > 1:
            result.growth = growth(result.bm25[0], result.bm25[-1])
        if args.dense:
            result.dense = child("dense", Dense, Path(folder) / "vectors", args.dense)
    if not args.no_quality:
        result.encoded_a_second, result.quality = quality()
    show(result)
    write_whole(args.json, msgspec.json.format(msgspec.json.encode(result)) + b"\n")


def measured(size: int, folder: Path, seed: int) -> Size:
    path = folder / f"{size}.jsonl"
    with atomic(path) as file:
        for paragraph in recombined(read_records(_DATA / PARAGRAPHS, Paragraph), size, seed):
            file.write(encode_line(paragraph))
    measured = Size(size, child("make", BuildCost, path), child("ask", QueryCost, path))
    path.unlink()
    return measured


def recombined(paragraphs: Sequence[Paragraph], size: int, seed: int) -> Iterator[Paragraph]:
    cut = [sentences(paragraph.text) for paragraph in paragraphs]
    drawn, flat = random.Random(seed), [sentence for group in cut for sentence in group]
    for number in range(size):
        title, like = drawn.choice(paragraphs).title, drawn.choice(cut)
        yield Paragraph(f"{title} {number}", " ".join(drawn.choices(flat, k=len(like))))


def child(task: str, type_: type[T], path: Path, size: int = 0) -> T:
    command = [sys.executable, "-m", "bench.corpus", "--child", task, "--path", str(path), "--dense", str(size)]
    answer = subprocess.run(command, cwd=_ROOT, check=True, capture_output=True).stdout
    return msgspec.json.decode(answer, type=type_)


def make(args: argparse.Namespace) -> BuildCost:
    own_words("loads its lists")
    took, _ = timed(lambda: Corpus.open(args.path))
    return BuildCost(round(took / 1000, 2), peak(), args.path.stat().st_size, folder_bytes(_index(args.path)))


def ask(args: argparse.Namespace) -> QueryCost:
    own_words("loads its lists")
    claims = random.Random(0).sample(read_records(_DATA / CLAIMS, HoverClaim), 200)
    opening, corpus = timed(lambda: Corpus.open(args.path))
    times = [timed(lambda claim=claim: corpus.bm25([claim.claim], K))[0] for claim in claims]  # type: ignore[misc]
    p95 = quantiles(times[1:], n=20)[-1]
    held = [holders(corpus, claim.claim) for claim in claims]
    share = median(sum(sorted(numbers)[-2:]) / sum(numbers) for numbers in held)
    postings = round(median(map(sum, held)))
    return QueryCost(opening, times[0], round(median(times[1:]), 2), round(p95, 2), postings, round(share, 2), peak())


def holders(corpus: Corpus, query: str) -> list[int]:
    """Return, for each known word of the query, the number of paragraphs that have it."""
    numbers = [corpus.words.vocabulary.get(word) for word in own_words(query)]
    return [len(corpus.words.postings.of_word(number)[0]) for number in numbers if number is not None]


def dense(args: argparse.Namespace) -> Dense:
    def search(queries: int) -> float:
        began = time.perf_counter()
        for cosines in index.cosines([""] * queries):
            largest(cosines, K)
        return 1000 * (time.perf_counter() - began) / queries

    Nearest.cached(args.dense, str, Drawn(), args.path, {})
    opening, index = timed(lambda: Nearest.cached(args.dense, str, Drawn(), args.path, {}))
    search(1)
    alone, batch = (round(median(search(queries) for _ in range(20)), 2) for queries in (1, 32))
    return Dense(args.dense, folder_bytes(args.path), opening, alone, batch, peak())


class Drawn:
    """Encoder of random vectors with the number, width and length of a real encoder's."""

    identity, width = "drawn", WIDTH

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        vectors = np.random.default_rng(len(texts)).standard_normal((len(texts), WIDTH), np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    def encode_queries(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        return self.encode(texts)


def quality() -> tuple[float, dict[str, Quality]]:
    """Return the number of paragraphs indexed and encoded in a second, and the quality of each search."""
    paragraphs, claims = read_records(_DATA / PARAGRAPHS, Paragraph), read_records(_DATA / CLAIMS, HoverClaim)
    texts = [claim.claim for claim in claims]
    encoder = load_encoder()
    encoder.encode(texts[:1])
    took, corpus = timed(lambda: Corpus.of(paragraphs, encoder, titles=True))
    rankings = {"BM25, published words": published(paragraphs, texts)}
    searches = {"BM25, our words": corpus.bm25, "BM25 and names": corpus.linked,
                "vectors": corpus.dense, "hybrid": corpus.hybrid}  # fmt: skip
    for name, search in searches.items():
        rankings[name] = [[hit.paragraph.title for hit in hits] for hits in search(texts, 20)]
    return round(len(paragraphs) / took * 1000, 1), {name: shares(claims, titles) for name, titles in rankings.items()}


def published(paragraphs: Sequence[Paragraph], queries: Sequence[str]) -> list[list[str]]:
    """Return, for each query, the titles of the best 20 paragraphs by the words and scores of the published
    retriever.
    """
    index = BM25.of(numbered_words([whole_text(paragraph) for paragraph in paragraphs]))
    return [[paragraphs[place].title for place in index.top(words(query), 20)] for query in queries]


def shares(claims: Sequence[HoverClaim], titles: Sequence[Sequence[str]]) -> Quality:
    gold = [{title for title, _ in claim.supporting_facts} for claim in claims]
    at = [fmean(len(own & set(best[:k])) / len(own) for own, best in zip(gold, titles, strict=True)) for k in (10, 20)]
    return Quality(round(at[0], 3), round(at[1], 3))


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """Run `work` and return its milliseconds and its result."""
    began = time.perf_counter()
    value = work()
    return round(1000 * (time.perf_counter() - began), 2), value


def peak() -> int:
    """Return the peak memory of this process in bytes."""
    [line] = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) * 1024


def folder_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def growth(small: Size, large: Size) -> dict[str, float]:
    pairs = {
        "make": (small.made.seconds, large.made.seconds),
        "memory": (small.made.peak_bytes, large.made.peak_bytes),
        "index": (small.made.index_bytes, large.made.index_bytes),
        "open": (small.asked.open_ms, large.asked.open_ms),
        "query": (small.asked.median_ms, large.asked.median_ms),
    }
    times = math.log(large.paragraphs / small.paragraphs)
    return {name: round(math.log(after / before) / times, 2) for name, (before, after) in pairs.items()}


def show(result: Result) -> None:
    print(f"{'paragraphs':>12}{'made s':>9}{'peak MB':>9}{'index MB':>10}{'open ms':>9}{'ms a query':>12}{'p95':>7}"
          f"{'postings':>10}")  # fmt: skip
    for size in result.bm25:
        made, queries = size.made, size.asked
        print(f"{size.paragraphs:12,}{made.seconds:9.1f}{made.peak_bytes / 1e6:9.0f}{made.index_bytes / 1e6:10.1f}"
              f"{queries.open_ms:9.0f}{queries.median_ms:12.2f}{queries.p95_ms:7.1f}{queries.postings:10,}"
              f" ({queries.most_frequent:.0%} of the two most frequent words)")  # fmt: skip
    print("growth: " + ", ".join(f"{name} n^{exponent}" for name, exponent in result.growth.items()))
    if result.dense:
        dense = result.dense
        print(f"vectors of {dense.paragraphs:,}: {dense.index_bytes / 1e6:.0f} MB, opened in {dense.open_ms:.0f} ms, "
              f"{dense.alone_ms} ms a query alone, {dense.batch_ms} in a batch of 32")  # fmt: skip
    for name, share in result.quality.items():
        print(f"{name:24}{share.at_10:8.3f}{share.at_20:8.3f}")
    if result.encoded_a_second:
        print(f"paragraphs encoded a second: {result.encoded_a_second}")


def _index(path: Path) -> Path:
    return path.with_name(f"{path.name}.index")


CHILDREN: dict[str, Callable[[argparse.Namespace], BuildCost | QueryCost | Dense]] = {
    "make": make,
    "ask": ask,
    "dense": dense,
}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.corpus", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--dense", type=int, default=100_000, help="vectors; 0 leaves this part out")
    parser.add_argument("--no_quality", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--work", type=Path, default=None, help="where corpora are written and removed again (1 GB)")
    parser.add_argument("--json", type=Path, default=_ROOT / "bench" / "results" / "corpus.json")
    parser.add_argument("--child", choices=sorted(CHILDREN), help=argparse.SUPPRESS)
    parser.add_argument("--path", type=Path, help=argparse.SUPPRESS)
    return parser


if __name__ == "__main__":
    main()
