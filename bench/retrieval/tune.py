"""Settings of hybrid retrieval tried on train claims: random picks from a grid, by a seed.

    python -m bench.retrieval.tune [--trials 24] [--claims 1000] [--seed 0]

A pick's score is the mean over `POOLS` of gold answers covered, together and by a single sentence. Printed are the
scores of the settings as they are, of each pick, and the mean of each value over the picks that have it.

Limitations: half an hour, since fewer claims would choose by chance: on 200 of them the best of 24 picks scored .146
and the settings as they are .138; on all, .123 and .129. Pages of train's sentences are not known, so that caps cannot
be tuned; nor are there hypothetical fact-checks.
"""

import argparse
import random
from collections.abc import Iterator, Sequence
from statistics import mean

import msgspec

from bench.coverage import answer_words, cover
from bench.retrieval.corpus import Corpus, read_split, spread
from bench.retrieval.hybrid import Hybrids
from bench.retrieval.pools import ALL, OWN, pools
from bench.retrieval.systems import K, System
from src.records import Claim
from src.reranking.hybrid.settings import Settings

GRID: dict[str, Sequence[float]] = {
    "candidates": (300, 1_000, 3_000),
    "lexical": (0.0, 0.2, 0.3, 0.4, 0.5),
    "speaker": (0.0, 0.25, 0.5),
    "date": (0.0, 0.25, 0.5),
    "substance_words": (0, 10, 15, 20, 30),
    "feedback": (0.0, 0.5, 1.0, 2.0),
    "feedback_sentences": (3, 5, 10),
    "diversity": (0.0, 0.1, 0.2, 0.4),
    "same": (0.8, 0.9, 0.95),
}
POOLS = (("train", ALL), ("train_short", OWN), ("train_short", ALL))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.retrieval.tune")
    for flag, usual in (("--trials", 24), ("--claims", 1000), ("--seed", 0)):
        parser.add_argument(flag, type=int, default=usual)
    args = parser.parse_args()
    corpora = {split: read_split(split) for split, _ in POOLS}
    hybrids = {split: Hybrids(corpus) for split, corpus in corpora.items()}
    claims = spread(corpora["train"].claims, args.claims)
    scores: dict[Settings, float] = {}
    for settings in picks(args.trials, args.seed):
        of_pools = [score(corpora[split], hybrids[split].system(settings), pool, claims) for split, pool in POOLS]
        scores[settings] = mean(of_pools)
        print(f"{scores[settings]:.4f} {' '.join(f'{one:.4f}' for one in of_pools)} {settings}", flush=True)
    print(f"\nbest: {max(scores, key=scores.__getitem__)}")
    for name, values in GRID.items():
        of_value = {value: [scores[one] for one in scores if getattr(one, name) == value] for value in values}
        print(f"{name:20}" + ", ".join(f"{value}: {mean(of):.4f}" for value, of in of_value.items() if of))


def picks(trials: int, seed: int) -> Iterator[Settings]:
    """The settings as they are, then so many from the grid."""
    chance = random.Random(seed)
    yield Settings()
    for _ in range(trials):
        yield msgspec.convert({name: chance.choice(values) for name, values in GRID.items()}, Settings)


def score(corpus: Corpus, system: System, pool_name: str, claims: Sequence[Claim]) -> float:
    """Return the score of a system, from 0 to 1: share of the claims' gold answers that are covered, mean of both ways
    of covering.
    """
    covered_answers, answers = 0, 0
    for pool in pools(corpus, pool_name, claims, seed=0):
        rank = system(pool.sentences)
        for claim in pool.claims:
            places = rank(claim, K, pool.refused(claim.claim_id))
            covered = cover(answer_words(claim), [pool.sentences[place].sentence for place in places])
            covered_answers, answers = (
                covered_answers + covered.together + covered.single,
                answers + 2 * covered.answers,
            )
    return covered_answers / answers


if __name__ == "__main__":
    main()
