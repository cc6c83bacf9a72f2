"""What retrieval finds: ten sentences for each claim, from pools that flatter nobody.

    python -m bench.retrieval [--pools own 1000 10000 all] [--systems bm25 ...] [--seeds 3] [--claims 500]
    python -m bench.retrieval --study parts          # hybrid retrieval with each of its parts switched off
    python -m bench.retrieval --study hyde           # and with hypothetical fact-checks (`hypotheticals.py`)
    python -m bench.retrieval --split train          # the same on train claims: here, and only here, things are tuned

Pools are described in `pools.py`, systems in `systems.py` and `hybrid.py`, who is compared in `studies.py`, measures in
`measures.py` and `bench/coverage.py`. Intervals are 95 %, by claim. Every system is compared with published
BM25 and with hybrid retrieval.

Limitations: the claims' fact-checking articles are left out, other leaks are not: a store may hold other fact-checks.
Seconds and memory are `cost.py`'s.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median

import msgspec

from bench.command import command, positive
from bench.retrieval.corpus import SPLITS, Corpus, read_split, spread
from bench.retrieval.hybrid import HYBRID
from bench.retrieval.measures import Judge, SentenceCounts
from bench.retrieval.pools import NAMES, Pool, pools
from bench.retrieval.result import PoolResult, Result, table
from bench.retrieval.studies import STUDIES
from bench.retrieval.summary import summarise
from bench.retrieval.systems import BM25_NAME, Given, K, System, given
from src.atomic_file import write_whole
from src.errors import InputError
from src.records import Claim, Sentence

_RESULTS = Path(__file__).resolve().parents[1] / "results"
REFERENCES = (BM25_NAME, HYBRID)


@command
def main(argv: Sequence[str] | None = None) -> int:
    args = _parser().parse_args(argv)
    corpus = read_split(args.split)
    study = STUDIES[args.study](args.split, corpus)
    if unknown := set(args.systems or ()) - set(study.systems):
        raise InputError(f"--systems {' '.join(sorted(unknown))}: there are {', '.join(study.systems)}")
    claims = spread(study.claims, args.claims or len(study.claims))
    chosen = {name: system for name, system in study.systems.items() if name in (args.systems or study.systems)}
    bench = Bench(corpus, chosen)
    result = Result(args.split, args.study, len(claims), args.seeds)
    for name in args.pools or study.pools:
        tens = given(corpus, name, K) if study.given else {}
        result.pools[name] = bench.run(name, claims, args.seeds, tens)
        print(f"{table(name, result.pools[name])}\n", flush=True)
    if path := args.json or (None if args.claims or args.pools or args.systems else _json(args)):
        write_whole(path, msgspec.json.format(msgspec.json.encode(result), indent=2) + b"\n")
        print(f"written to {path}")
    return 0


class Bench:
    """The systems side by side on the same pools. What they and the judge know of a text is kept from pool to pool."""

    def __init__(self, corpus: Corpus, systems: Mapping[str, System]) -> None:
        self._corpus = corpus
        self._judge = Judge(corpus)
        self._systems = systems

    def run(self, pool_name: str, claims: Sequence[Claim], seeds: int, fixed: Mapping[str, Given]) -> PoolResult:
        scores: dict[str, list[list[SentenceCounts]]] = defaultdict(lambda: [[] for _ in range(seeds)])
        sizes = []
        for seed in range(seeds):
            for pool in pools(self._corpus, pool_name, claims, seed):
                sizes += [len(pool.sentences) - len(pool.refused(claim.claim_id)) for claim in pool.claims]
                for name, claim, ten in self._tens(pool, fixed):
                    scores[name][seed].append(self._judge(claim.claim_id, ten, pool))
        any_system = next(iter(scores.values()))[0]
        pages = [one.gold_pages for one in any_system]
        size = (min(sizes), median(sizes), max(sizes))
        result = PoolResult(size, sum(one.answers for one in any_system), (sum(map(bool, pages)), sum(pages)))
        for name, by_seed in scores.items():
            others = {other: scores[other] for other in REFERENCES if other in scores and other != name}
            result.systems[name] = summarise(by_seed, others)
        return result

    def _tens(self, pool: Pool, fixed: Mapping[str, Given]) -> Iterator[tuple[str, Claim, list[Sentence]]]:
        for name, system in self._systems.items():
            rank = system(pool.sentences)
            for claim in pool.claims:
                places = rank(claim, K, pool.refused(claim.claim_id))
                yield name, claim, [pool.sentences[place] for place in places]
        for name, tens in fixed.items():
            yield from ((name, claim, tens.get(claim.claim_id, [])) for claim in pool.claims)


def _json(args: argparse.Namespace) -> Path:
    """retrieval.json for the systems on dev, retrieval_train_parts.json for the parts on train."""
    names = ["retrieval", args.split.replace("dev", ""), args.study.replace("systems", "")]
    return _RESULTS / f"{'_'.join(filter(None, names))}.json"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.retrieval", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--split", choices=SPLITS, default="dev")
    parser.add_argument("--study", choices=STUDIES, default="systems", help="what is compared (studies.py)")
    parser.add_argument("--pools", nargs="+", choices=NAMES, help="default: those of the study")
    parser.add_argument("--systems", nargs="+", metavar="NAME", help="default: all of the study")
    parser.add_argument("--seeds", type=positive, default=3)
    parser.add_argument("--claims", type=positive, help="so many of the study's claims")
    parser.add_argument("--json", type=Path,
                        help="default: bench/results/retrieval.json, retrieval_parts.json, ...; for a part "
                             "of the claims, pools or systems, none")  # fmt: skip
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
