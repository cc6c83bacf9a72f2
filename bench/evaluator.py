"""The evaluator beside NLTK, on the first claims of a published prediction file.

    python -m bench.evaluator [--claims 40] [--turns 3]

Three drivers take turns on the same claims, and must agree to the last bit:

    ours        what `evaluate_veracity` does: every text is tokenised, stemmed and looked up once
    nltk        NLTK's `single_meteor_score` for every pair, tokenising both texts for each pair
    published   as `nltk`, but the Q+A matrix three times (score, levels, types), as the published scorer computes it

Loading (imports, WordNet) is not counted, nor are the first lookups, for none of them: one untimed turn goes before.

Limitations: time of one process on one core; nothing about memory.
"""

import argparse
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

import msgspec
import numpy as np

from src.atomic_file import write_whole
from src.evaluation.averitec import Guess, gold_strings, score
from src.evaluation.hungarian import best_match
from src.prediction.prediction_files import join, labelled, read_guesses
from src.records import Claim
from src.store import read_claims
from src.text import words

_ROOT = Path(__file__).resolve().parents[1]
_DATA = Path(os.environ.get("FACTCHECK_SHARED", _ROOT.parent / "shared" / "data")) / "averitec"

Pairs = list[tuple[float | None, float]]  # Q and Q+A of each claim


class Result(msgspec.Struct):
    """Seconds of every turn, by driver, and the ratio of each driver's median to that of this project."""

    claims: int
    turns: int
    seconds: dict[str, list[float]]
    ratio: dict[str, float]


def main() -> None:
    args = _parser().parse_args()
    claims = read_claims(args.label_file)
    guesses = join(claims, read_guesses(args.predictions), args.predictions)[: args.claims]
    result = measure(claims[: args.claims], guesses, args.turns)
    print(f"{result.claims} claims, {result.turns} turns\n{'':12}{'median s':>10}{'times ours':>12}")
    for name, seconds in result.seconds.items():
        print(f"{name:12}{median(seconds):10.3f}{result.ratio[name]:12.1f}")
    write_whole(args.json, msgspec.json.format(msgspec.json.encode(result)) + b"\n")


def measure(claims: Sequence[Claim], guesses: Sequence[Guess], turns: int) -> Result:
    """Run the drivers in turns. Raises AssertionError when their scores differ."""
    drivers: dict[str, Callable[[], Pairs]] = {
        "ours": lambda: ours(claims, guesses),
        "nltk": lambda: with_nltk(claims, guesses, passes=1),
        "published": lambda: with_nltk(claims, guesses, passes=3),
    }
    expected = drivers["nltk"]()
    assert drivers["ours"]() == expected, "our scores are not those of NLTK"
    seconds: dict[str, list[float]] = {name: [] for name in drivers}
    for _ in range(turns):
        for name, driver in drivers.items():
            began = time.perf_counter()
            scores = driver()
            seconds[name].append(time.perf_counter() - began)
            assert scores == expected, f"{name}: other scores than before"
    ratio = {name: median(values) / median(seconds["ours"]) for name, values in seconds.items()}
    return Result(len(claims), turns, seconds, ratio)


def ours(claims: Sequence[Claim], guesses: Sequence[Guess]) -> Pairs:
    golds = labelled(claims, Path("claims"))
    scores = [score(gold, guess) for gold, guess in zip(golds, guesses, strict=True)]
    return [(claim.question_only, claim.question_answer) for claim in scores]


def with_nltk(claims: Sequence[Claim], guesses: Sequence[Guess], passes: int) -> Pairs:
    """Return the scores computed the published way: METEOR by NLTK, pair by pair, with the Q+A matrix computed `passes`
    times.
    """
    scores: Pairs = []
    for claim, guess in zip(claims, guesses, strict=True):
        questions = _match([pair.question for pair in guess.pairs], [question.question for question in claim.questions])
        predicted = [f"{pair.question} {pair.answer}" for pair in guess.pairs]
        gold = [text for question in claim.questions for text in gold_strings(question)]
        answers = [_match(predicted, gold) for _ in range(passes)]
        scores.append((questions, answers[0]))
    return scores


def _match(predictions: Sequence[str], references: Sequence[str]) -> float:
    from nltk.translate.meteor_score import single_meteor_score

    matrix = np.zeros((len(predictions), len(references)))
    for row, prediction in enumerate(predictions):
        for column, reference in enumerate(references):
            matrix[row, column] = single_meteor_score(words(reference), words(prediction))
    return best_match(matrix) / len(references)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.evaluator", description=(__doc__ or "").split("\n\n")[0])
    peer = _DATA / "peers" / "hero_dev_veracity_prediction_8b.jsonl.gz"
    parser.add_argument("--predictions", type=Path, default=peer)
    parser.add_argument("--label_file", type=Path, default=_DATA / "dev.json")
    parser.add_argument("--claims", type=int, default=40)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--json", type=Path, default=_ROOT / "bench" / "results" / "evaluator.json")
    return parser


if __name__ == "__main__":
    main()
