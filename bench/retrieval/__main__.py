"""What retrieval finds: ten sentences for each claim, from pools that flatter nobody.

    python -m bench.retrieval [--pools own 1000 10000 all] [--systems bm25 ...] [--seeds 3] [--claims 500] [--timed 3]
    python -m bench.retrieval --split train          # the same on train claims: here, and only here, things are tuned

Pools are described in `pools.py`, systems in `systems.py`, measures in `measures.py` and `src/evaluation/coverage.py`,
seconds and memory in `cost.py`. Intervals are 95 %, by claim.

But: the claims' fact-checking articles are left out, other leaks are not: a store may hold other fact-checks.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median

import msgspec

from bench.retrieval.corpus import Corpus, read_split
from bench.retrieval.cost import Cost, measured
from bench.retrieval.measures import Found, Judge
from bench.retrieval.pools import NAMES, Pool, pools
from bench.retrieval.result import PoolResult, Result, table
from bench.retrieval.summary import summarise
from bench.retrieval.systems import BM25_NAME, HERO, LONGEST, LONGEST_OWN, RANDOM, Given, given, systems
from src.records import Claim, Sentence
from src.store import write_whole

_RESULTS = Path(__file__).resolve().parents[1] / "results"
K = 10
FLOORS = (RANDOM, LONGEST, LONGEST_OWN)


def main() -> None:
    args = _parser().parse_args()
    corpus = read_split(args.split)
    claims = _spread(corpus.claims, args.claims)
    bench = Bench(corpus, args.systems)
    result = Result(args.split, len(claims), args.seeds)
    for name in args.pools or _smaller(corpus):
        result.pools[name] = bench.run(name, claims, args.seeds)
        result.pools[name].costs = costs(args.split, name, bench.measurable(), _spread(claims, args.timed))
        print(f"{table(name, result.pools[name])}\n", flush=True)
    target = args.json or _RESULTS / ("retrieval.json" if args.split == "dev" else f"retrieval_{args.split}.json")
    write_whole(target, msgspec.json.format(msgspec.json.encode(result), indent=2) + b"\n")


class Bench:
    """The systems side by side on the same pools. What they and the judge know of a text is kept from pool to pool."""

    def __init__(self, corpus: Corpus, only: Sequence[str] | None) -> None:
        self._corpus = corpus
        self._judge = Judge(corpus)
        self._only = only or [*systems(), LONGEST_OWN, HERO]
        self._systems = {name: one for name, one in systems(corpus).items() if name in self._only}

    def measurable(self) -> list[str]:
        """The systems whose time and memory say something."""
        return [name for name in self._systems if name not in FLOORS]

    def run(self, pool_name: str, claims: Sequence[Claim], seeds: int) -> PoolResult:
        found: dict[str, list[list[Found]]] = defaultdict(lambda: [[] for _ in range(seeds)])
        fixed = {name: tens for name, tens in given(self._corpus, pool_name, K).items() if name in self._only}
        sizes = []
        for seed in range(seeds):
            for pool in pools(self._corpus, pool_name, claims, seed):
                sizes += [len(pool.sentences) - len(pool.refused(claim.claim_id)) for claim in pool.claims]
                for name, claim, ten in self._tens(pool, fixed):
                    found[name][seed].append(self._judge(claim.claim_id, ten, pool))
        any_system = next(iter(found.values()))[0]
        pages = [one.gold_pages for one in any_system]
        size = (min(sizes), median(sizes), max(sizes))
        result = PoolResult(size, sum(one.answers for one in any_system), (sum(map(bool, pages)), sum(pages)))
        for name, by_seed in found.items():
            result.systems[name] = summarise(by_seed, found.get(BM25_NAME) if name != BM25_NAME else None)
        return result

    def _tens(self, pool: Pool, fixed: Mapping[str, Given]) -> Iterator[tuple[str, Claim, list[Sentence]]]:
        for name, system in self._systems.items():
            rank = system(pool.sentences)
            for claim in pool.claims:
                places = rank(claim, K, pool.refused(claim.claim_id))
                yield name, claim, [pool.sentences[place] for place in places]
        for name, tens in fixed.items():
            yield from ((name, claim, tens.get(claim.claim_id, [])) for claim in pool.claims)


def costs(split: str, pool: str, names: Sequence[str], claims: Sequence[Claim]) -> dict[str, list[Cost]]:
    """The systems take turns, claim by claim."""
    found: dict[str, list[Cost]] = {name: [] for name in names}
    for claim in claims:
        for name in names:
            found[name].append(measured(split, pool, name, claim.claim_id))
    return found


def _smaller(corpus: Corpus) -> list[str]:
    """The pools but for those that would need more sentences than there are."""
    return [name for name in NAMES if not name.isdecimal() or int(name) < len(corpus.sentences)]


def _spread(claims: Sequence[Claim], number: int) -> list[Claim]:
    """So many of the claims, at equal distances; all when there are no more."""
    number = min(number, len(claims))
    return [claims[place * len(claims) // number] for place in range(number)]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.retrieval", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--split", choices=("dev", "train"), default="dev")
    parser.add_argument("--pools", nargs="+", choices=NAMES, help="default: all that differ")
    parser.add_argument("--systems", nargs="+", choices=[*systems(), LONGEST_OWN, HERO],
                        help="default: all; bm25 is what the others are compared with")  # fmt: skip
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--claims", type=int, default=1000, help="so many of the split's claims")
    parser.add_argument("--timed", type=int, default=3, help="claims of each pool to take the time and memory of")
    parser.add_argument("--json", type=Path, help="default: bench/results/retrieval.json, or retrieval_train.json")
    return parser


if __name__ == "__main__":
    main()
