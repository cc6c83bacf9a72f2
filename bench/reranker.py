"""Rerankers beside each other: seconds for the pairs of one claim, and whether they come out in the same order.

    python -m bench.reranker [--pairs 24] [--turns 3] [--adapter pretrained_models/adapters/reranker]

A BERT of the published size with random weights (the published ones cannot be fetched everywhere), and our adapter on
all-MiniLM-L6-v2 where it stands. Three ways take turns on the same pairs; the figure is the median of the turns:

    published      all pairs in one batch, padded to the longest, float32, with the graph for gradients kept
    ours           `src.models.reranker`: by length, no graph; float32 for BERT
    ours, bf16     the same in bfloat16, for BERT; our adapter runs in it by itself where the processor computes in it

Pairs are real: the first sentences of one claim's knowledge store, with the claim as their question. Order: the
share of pairs at the same rank as published, Kendall's tau, and whether the best three are the same.

Limitations: the graph of 100 pairs of a BERT-base takes tens of gigabytes, so that the published way is timed on 24 by
default; ours on `--ours` pairs stands beside it. Random weights put scores closer together than trained ones do.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import msgspec
import numpy as np

from bench.command import command, positive
from bench.questions.asking import one_claim
from bench.scoreboard.published import AVERITEC, ROOT
from src.atomic_file import write_whole
from src.evaluation.baselines import claim_as_its_question
from src.llm.loading import find_device, silence
from src.llm.measure import machine
from src.models.reranker import TASK, joined, load_reranker
from src.models.trained import is_trained, read_trained
from src.records import CandidateQA, CandidateQuestions

ADAPTER = Path("pretrained_models/adapters/reranker")
SPREAD = 0.06  # with that of a fresh BERT, 0.02, all pairs score alike, and rounding orders them
PUBLISHED, OURS, OURS_BF16 = "published", "ours", "ours, bf16"

Score = Callable[[CandidateQuestions], list[float]]


class Row(msgspec.Struct):
    """Speed of one engine with one model. `times` is relative to the published way, and the order is compared
    with it.
    """

    model: str
    way: str
    seconds: float
    all_turns: list[float]
    times: float
    same_rank: float
    tau: float
    same_best_three: bool
    seconds_of_all: float | None = None


class Result(msgspec.Struct):
    """`pairs` were timed every way, `all_pairs` ours alone."""

    machine: str
    pairs: int
    all_pairs: int
    tokens_median: float
    tokens_longest: int
    rows: list[Row]


@command
def main(argv: Sequence[str] | None = None) -> int:
    args = _parser().parse_args(argv)
    silence()
    claim = real_claim(args.averitec, max(args.pairs, args.ours))
    with tempfile.TemporaryDirectory() as folder:
        random_bert(Path(folder) / "bert", args.layers, args.width)
        lengths = _lengths(Path(folder) / "bert", claim.bm25_qau, claim.claim)
        rows = measured(f"BERT {args.layers}x{args.width}", bert_ways(Path(folder) / "bert"), claim, args)
    if is_trained(args.adapter):
        rows += measured(read_trained(args.adapter).base, adapter_ways(args.adapter), claim, args)
    tokens = float(np.median(lengths[: args.pairs])), max(lengths[: args.pairs])
    result = Result(machine(), args.pairs, len(claim.bm25_qau), *tokens, rows)
    print(f"{result.machine}; {args.pairs} pairs, median {tokens[0]:.0f} tokens, longest {tokens[1]}")
    print(f"{'model':16}{'way':14}{'seconds':>9}{'times':>8}{'same rank':>11}{'tau':>8}{'best 3':>8}"
          f"{f's, {result.all_pairs}':>10}")  # fmt: skip
    for row in rows:
        alone = "" if row.seconds_of_all is None else f"{row.seconds_of_all:.2f}"
        print(
            f"{row.model:16}{row.way:14}{row.seconds:9.2f}{row.times:8.1f}{row.same_rank:11.2f}{row.tau:8.3f}"
            f"{'same' if row.same_best_three else 'other':>8}{alone:>10}"
        )
    write_whole(args.json, msgspec.json.format(msgspec.json.encode(result)) + b"\n")
    return 0


def real_claim(averitec: Path, pairs: int) -> CandidateQuestions:
    """Return a claim with `pairs` candidates from its own knowledge store. Raises InputError."""
    ranked = one_claim(averitec, pairs)
    question = claim_as_its_question(ranked.claim)
    candidates = [CandidateQA(question, sentence.sentence, "") for sentence in ranked.sentences]
    return CandidateQuestions(ranked.claim_id, ranked.claim, candidates)


def random_bert(folder: Path, layers: int, width: int) -> None:
    """A published reranker's shape, as a folder of transformers; weights are drawn wide, so that scores differ."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    from src.models.bert import base_tokenizer

    torch.manual_seed(0)
    config = BertConfig(
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=width // 64,
        intermediate_size=4 * width,
        initializer_range=SPREAD,
    )
    model = BertForSequenceClassification(config)
    torch.nn.init.normal_(model.classifier.weight, std=0.3)
    model.save_pretrained(folder)
    base_tokenizer(None, config.vocab_size).save_pretrained(folder)


def bert_ways(folder: Path) -> dict[str, Score]:
    from transformers import AutoTokenizer, BertForSequenceClassification

    model: Any = BertForSequenceClassification.from_pretrained(folder)
    model.eval().to(find_device())
    tokenizer = AutoTokenizer.from_pretrained(folder)

    def published(claim: CandidateQuestions) -> list[float]:
        texts = [joined(claim.claim, pair) for pair in claim.bm25_qau]
        batch = tokenizer(texts, max_length=512, padding="longest", truncation=True, return_tensors="pt")
        scores: list[float] = model(**batch.to(model.device)).logits.softmax(-1)[:, 1].tolist()
        return scores

    plain, half = load_reranker(folder), load_reranker(folder, "bfloat16")
    return {
        PUBLISHED: published,
        OURS: lambda claim: plain.scores([claim])[0],
        OURS_BF16: lambda claim: half.scores([claim])[0],
    }


def adapter_ways(folder: Path) -> dict[str, Score]:
    """Our adapter, and the same weights the published way; those are not merged ahead of time by `src.models`."""
    from src.llm.adapter import merge, read_adapter
    from src.models.base_model import find_base
    from src.models.evidence_rows import RowMaker
    from src.models.pooled import new_classifier, padded

    trained = read_trained(folder, TASK)
    base = find_base(trained.base).folder
    model: Any = new_classifier(base, len(trained.labels))
    model.eval().to(find_device())
    merge(model, read_adapter(folder))
    maker, ours = RowMaker(base, trained.max_length), load_reranker(folder)

    def published(claim: CandidateQuestions) -> list[float]:
        rows = maker.rows([(claim.claim, [(pair.question, pair.answer)]) for pair in claim.bm25_qau])
        logits = model(**padded(rows, model.config, find_device()))
        scores: list[float] = (logits[:, -1] - logits[:, 0]).tolist()
        return scores

    return {PUBLISHED: published, OURS: lambda claim: ours.scores([claim])[0]}


def measured(model: str, ways: dict[str, Score], claim: CandidateQuestions, args: argparse.Namespace) -> list[Row]:
    """All ways in turns on the first `--pairs` pairs; ours also on all pairs, once."""
    some = CandidateQuestions(claim.claim_id, claim.claim, claim.bm25_qau[: args.pairs])
    seconds: dict[str, list[float]] = {way: [] for way in ways}
    scores: dict[str, list[float]] = {}
    for turn in range(args.turns + 1):
        for way, score in ways.items():
            spent, scores[way] = _timed(score, some)
            if turn:  # the first warms up
                seconds[way].append(round(spent, 3))
    slowest = median(seconds[PUBLISHED])
    return [
        Row(
            model,
            way,
            median(turns),
            turns,
            round(slowest / median(turns), 2),
            *agreement(scores[PUBLISHED], scores[way]),
            None if way == PUBLISHED else round(_timed(ways[way], claim)[0], 3),
        )
        for way, turns in seconds.items()
    ]


def agreement(expected: Sequence[float], actual: Sequence[float]) -> tuple[float, float, bool]:
    """Return the share of pairs at the same rank, Kendall's tau, and True if the best three are the same in the same
    order.
    """
    from scipy.stats import kendalltau

    first, second = (np.argsort(-np.array(scores), kind="stable") for scores in (expected, actual))
    tau = float(kendalltau(expected, actual).statistic)
    return round(float((first == second).mean()), 4), round(tau, 4), bool((first[:3] == second[:3]).all())


def _timed(score: Score, claim: CandidateQuestions) -> tuple[float, list[float]]:
    began = time.perf_counter()
    scores = score(claim)
    return time.perf_counter() - began, scores


def _lengths(folder: Path, pairs: Sequence[CandidateQA], claim: str) -> list[int]:
    from transformers import AutoTokenizer

    rows = AutoTokenizer.from_pretrained(folder)([joined(claim, pair) for pair in pairs], truncation=True)["input_ids"]
    return [len(row) for row in rows]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.reranker", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--averitec", type=Path, default=AVERITEC)
    parser.add_argument("--adapter", type=Path, default=ADAPTER)
    parser.add_argument("--pairs", type=positive, default=24, help="timed every way")
    parser.add_argument("--ours", type=positive, default=100, help="timed our way")
    parser.add_argument("--turns", type=positive, default=3)
    parser.add_argument("--layers", type=positive, default=12)
    parser.add_argument("--width", type=positive, default=768)
    parser.add_argument("--json", type=Path, default=ROOT / "bench" / "results" / "reranker.json")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
