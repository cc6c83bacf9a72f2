"""Sentence encoders beside each other: sentences a second, equality, start; and what keeping vectors costs and loses.

    python -m bench.encoder [--claims 30] [--sentences 100] [--timed 600] [--turns 3]

Sentences are real: of each claim up to `--sentences` of its knowledge store. The reference is the bundled model in
sentence-transformers, float32, as its documentation says. Engines take turns on the same `--timed` sentences; the
figure is the median. Equality is measured on all: cosine with the reference's vector (mean, smallest), the share of a
claim's ten nearest sentences that are the same, and how far a sentence's vector moves when it is encoded alone.

Start: seconds of a new process until the first vector, median of three. Kept: the default engine's vectors in each
precision, of 50,000 texts (a random walk between real vectors), opened and looked up whole and for 3,000 of them.

Limitations: other work on the machine counts, most of all for engines whose threads wait for each other.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any, get_args

import msgspec
import numpy as np

from bench.onnx_encoder import OnnxEncoder, export
from src.atomic_file import write_whole
from src.knowledge_store import KnowledgeStore
from src.llm.loading import silence
from src.llm.measure import machine
from src.llm.weights import MINILM, PRETRAINED
from src.models.encoder import Vectors, load_encoder
from src.reranking.hybrid.vectors import KeptVectors, Precision, packed, unpacked
from src.store import read_claims

_ROOT = Path(__file__).resolve().parents[1]
_AVERITEC = Path(os.environ.get("FACTCHECK_SHARED", _ROOT.parent / "shared" / "data")) / "averitec"
FOLDER = PRETRAINED / MINILM.folder
REFERENCE = "sentence-transformers, float32"
KEPT, ASKED = 50_000, 3_000
OURS = "from src.models.encoder import load_encoder; load_encoder(dtype={!r}).encode(['one'])"
LIBRARY = (
    "from sentence_transformers import SentenceTransformer; "
    f"SentenceTransformer({str(FOLDER)!r}, local_files_only=True, "
    "model_kwargs={{'dtype': {!r}}}).encode(['one'], show_progress_bar=False)"
)
ONNX = (
    "import onnxruntime, numpy; from tokenizers import Tokenizer; "
    f"ids = numpy.array([Tokenizer.from_file({str(FOLDER / 'tokenizer.json')!r}).encode('one').ids]); "
    "onnxruntime.InferenceSession({!r}).run(None, {{'ids': ids, 'mask': numpy.ones_like(ids)}})"
)

Encode = Callable[[Sequence[str]], Vectors]


class EngineFigures(msgspec.Struct):
    """Measurements of an engine. `alone` is the largest change of a number of a vector when its text is encoded
    alone.
    """

    sentences_per_second: float
    all_turns: list[float]
    cosine_mean: float
    cosine_min: float
    same_of_ten: float
    alone: float
    start_seconds: float


class PrecisionFigures(msgspec.Struct):
    """Measurements of vectors stored with a precision: largest error and share of the same ten nearest, against
    float32; bytes and milliseconds to look up, of 50,000 texts.
    """

    largest_error: float
    same_of_ten: float
    megabytes: float
    ms_all: float
    ms_some: float


class Result(msgspec.Struct):
    machine: str
    sentences: int
    timed: int
    words_median: float
    engines: dict[str, EngineFigures]
    precisions: dict[str, PrecisionFigures]


class Pool(msgspec.Struct):
    """Claims, each with sentences of its own file."""

    claims: list[str]
    sentences: list[list[str]]

    @property
    def texts(self) -> list[str]:
        return list(dict.fromkeys([*self.claims, *(text for own in self.sentences for text in own)]))

    def nearest(self, vectors: dict[str, Any], count: int = 10) -> list[set[str]]:
        """Return, for each claim, the `count` sentences of its own that are nearest to it."""
        sets = []
        for claim, own in zip(self.claims, self.sentences, strict=True):
            scores = np.array([vectors[text] for text in own]) @ vectors[claim]
            sets.append({own[place] for place in np.argsort(-scores, kind="stable")[:count]})
        return sets


def main() -> None:
    args = _parser().parse_args()
    pool = read_pool(args.averitec, args.claims, args.sentences)
    with tempfile.TemporaryDirectory() as folder:
        result = measure(pool, args.timed, args.turns, Path(folder))
    print(f"{result.machine}; {result.sentences} sentences, median {result.words_median:.0f} words")
    print(f"{'':40}{'sent./s':>8}{'cosine':>9}{'min':>9}{'same 10':>9}{'alone':>9}{'start s':>9}")
    for name, row in result.engines.items():
        print(
            f"{name:40}{row.sentences_per_second:8.0f}{row.cosine_mean:9.5f}{row.cosine_min:9.5f}"
            f"{row.same_of_ten:9.3f}{row.alone:9.1e}{row.start_seconds:9.2f}"
        )
    print(f"\n{'kept as':12}{'error':>9}{'same 10':>9}{'MB':>8}{'ms, all':>9}{f'ms, {ASKED}':>9}   ({KEPT} texts)")
    for name, stored in result.precisions.items():
        print(
            f"{name:12}{stored.largest_error:9.1e}{stored.same_of_ten:9.3f}{stored.megabytes:8.1f}"
            f"{stored.ms_all:9.0f}{stored.ms_some:9.0f}"
        )
    write_whole(args.json, msgspec.json.format(msgspec.json.encode(result)) + b"\n")


def read_pool(averitec: Path, claims: int, sentences: int) -> Pool:
    """Return random claims, and for each some of its sentences of four words or more, shuffled."""
    drawn, store = random.Random(0), KnowledgeStore(averitec / "knowledge_store" / "dev")
    known = [claim for claim in read_claims(averitec / "dev.json") if claim.claim_id in store]
    pool = Pool([], [])
    for claim in drawn.sample(known, min(claims, len(known))):
        own = {line.sentence for line in store.sentences(claim.claim_id) if len(line.sentence.split()) > 3}
        pool.claims.append(claim.claim)
        pool.sentences.append(drawn.sample(sorted(own), min(sentences, len(own))))
    return pool


def measure(pool: Pool, timed: int, turns: int, folder: Path) -> Result:
    """Load every engine, measure them in turns, then compare their vectors."""
    silence()
    graphs = export(FOLDER, folder)
    engines = _engines(graphs)
    starts = _starts(graphs)
    texts = pool.texts
    some = random.Random(1).sample(texts, min(timed, len(texts)))
    speeds: dict[str, list[float]] = {name: [] for name in engines}
    for turn in range(turns + 1):
        for name, encode in engines.items():
            began = time.perf_counter()
            encode(some)
            if turn:  # the first warms up
                speeds[name].append(round(len(some) / (time.perf_counter() - began), 1))
    reference = engines[REFERENCE](texts)
    nearest = pool.nearest(dict(zip(texts, reference, strict=True)))
    figures = {}
    for name, encode in engines.items():
        vectors = encode(texts)
        cosines = (vectors * reference).sum(1) / np.linalg.norm(vectors, axis=1) / np.linalg.norm(reference, axis=1)
        lone = range(0, len(texts), 1 + len(texts) // 50)
        figures[name] = EngineFigures(
            sentences_per_second=round(median(speeds[name]), 1),
            all_turns=speeds[name],
            cosine_mean=round(float(cosines.mean()), 6),
            cosine_min=round(float(cosines.min()), 6),
            same_of_ten=_same(nearest, pool.nearest(dict(zip(texts, vectors, strict=True)))),
            alone=max(float(np.abs(encode([texts[place]])[0] - vectors[place]).max()) for place in lone),
            start_seconds=round(starts[name], 2),
        )
    words = float(np.median([len(text.split()) for text in texts]))
    return Result(machine(), len(texts), len(some), words, figures, precisions(pool, folder))


def _engines(graphs: dict[str, Path]) -> dict[str, Encode]:
    from sentence_transformers import SentenceTransformer

    def library(dtype: str) -> Encode:
        model = SentenceTransformer(str(FOLDER), local_files_only=True, device="cpu", model_kwargs={"dtype": dtype})
        return lambda texts: np.asarray(
            model.encode(list(texts), normalize_embeddings=True, show_progress_bar=False), np.float32
        )

    return {
        REFERENCE: library("float32"),
        "sentence-transformers, bfloat16": library("bfloat16"),
        "ours, float32": load_encoder(dtype="float32").encode,
        "ours, bfloat16": load_encoder(dtype="bfloat16").encode,
        "onnxruntime, float32": OnnxEncoder(FOLDER, graphs["float32"]).encode,
        "onnxruntime, int8": OnnxEncoder(FOLDER, graphs["int8"]).encode,
    }


def _starts(graphs: dict[str, Path]) -> dict[str, float]:
    """Return the seconds from the start of a process to its first vector, by engine: medians of three turns."""
    codes = {
        REFERENCE: LIBRARY.format("float32"),
        "sentence-transformers, bfloat16": LIBRARY.format("bfloat16"),
        "ours, float32": OURS.format("float32"),
        "ours, bfloat16": OURS.format("bfloat16"),
        "onnxruntime, float32": ONNX.format(str(graphs["float32"])),
        "onnxruntime, int8": ONNX.format(str(graphs["int8"])),
    }
    starts: dict[str, list[float]] = {name: [] for name in codes}
    for _ in range(3):
        for name, code in codes.items():
            began = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], cwd=_ROOT, check=True, capture_output=True)
            starts[name].append(time.perf_counter() - began)
    return {name: median(seconds) for name, seconds in starts.items()}


def precisions(pool: Pool, folder: Path) -> dict[str, PrecisionFigures]:
    encoder, texts = load_encoder(), pool.texts
    vectors = encoder.encode(texts)
    nearest = pool.nearest(dict(zip(texts, vectors, strict=True)))
    rows = {}
    for precision in get_args(Precision):
        rounded = unpacked(packed(vectors, precision))
        same = _same(nearest, pool.nearest(dict(zip(texts, rounded, strict=True))))
        error = float(np.abs(rounded - vectors).max())
        rows[precision] = PrecisionFigures(error, same, *_lookups(vectors, precision, folder / precision))
    return rows


class Mixed:
    """Stand-in for an encoder that would take minutes: its vectors lie between those of real sentences."""

    identity, width = "mixed", 384

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors

    def encode(self, texts: Sequence[str]) -> Vectors:
        drawn = np.random.default_rng(0).integers(len(self._vectors), size=(2, len(texts)))
        mixed = self._vectors[drawn[0]] + self._vectors[drawn[1]]
        unit: Vectors = mixed / np.linalg.norm(mixed, axis=1, keepdims=True)
        return unit

    encode_queries = encode


def _lookups(vectors: Vectors, precision: Precision, path: Path) -> tuple[float, float, float]:
    """Return the file's size in megabytes, and the milliseconds to open it and look up all or some of its texts
    (medians of five).
    """
    encoder, texts = Mixed(vectors), [f"Sentence number {number} of the store." for number in range(KEPT)]
    cached = KeptVectors(path, "store", encoder, precision)
    cached.of(texts)
    cached.write()
    seconds: dict[int, list[float]] = {KEPT: [], ASKED: []}
    for _ in range(5):
        for count, spent in seconds.items():
            began = time.perf_counter()
            KeptVectors(path, "store", encoder, precision).of(texts[:count])
            spent.append(1000 * (time.perf_counter() - began))
    return round(path.stat().st_size / 1e6, 1), round(median(seconds[KEPT]), 1), round(median(seconds[ASKED]), 1)


def _same(expected: Sequence[set[str]], actual: Sequence[set[str]]) -> float:
    """Return the share of the expected sentences that are in `actual`, over all claims."""
    common = sum(len(one & other) for one, other in zip(expected, actual, strict=True))
    return round(common / sum(map(len, expected)), 4)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.encoder", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--averitec", type=Path, default=_AVERITEC)
    parser.add_argument("--claims", type=int, default=30)
    parser.add_argument("--sentences", type=int, default=100, help="of each claim")
    parser.add_argument("--timed", type=int, default=600)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--json", type=Path, default=_ROOT / "bench" / "results" / "encoder.json")
    return parser


if __name__ == "__main__":
    main()
