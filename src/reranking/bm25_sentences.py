"""Step: the best sentences of each claim's knowledge store, by BM25 with the claim as the query.

Reads the claims and the knowledge store, writes one line a claim with its `--top_k` sentences, best first.
Published flags and defaults, but for the output's name, which is the one that the next step reads. The index of a large
store is kept beside the store, so that the next run need not cut its sentences into words again.
"""

import argparse
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from src.errors import InputError
from src.knowledge_store import KnowledgeStore
from src.records import Claim
from src.reranking.claim_ranking import ClaimRanking, Retriever
from src.reranking.kept_index import notes_on
from src.reranking.published_ranking import PublishedBM25, RankBM25
from src.reranking.top_file import encode_ranked
from src.runner.arguments import add_range, end_of, in_range, positive, step, step_parser
from src.runner.job import Engine, Job, run
from src.runner.workers import cores
from src.store import read_claims

MODULE = "src.reranking.bm25_sentences"
RETRIEVERS: Mapping[str, Callable[[Path | None], Retriever]] = {
    "bm25": PublishedBM25,
    "rank_bm25": lambda index_dir: RankBM25(),
}
WORTH_A_WORKER = 8_000_000  # bytes of pages: a new process starts in less time than it ranks them


def parser() -> argparse.ArgumentParser:
    flags = step_parser(__doc__, MODULE)
    flags.add_argument("-k", "--knowledge_store_dir", type=Path, default=Path("data_store/knowledge_store/dev"),
                       help="folder or zip of <claim_id>.json")  # fmt: skip
    flags.add_argument("-c", "--claim_file", type=Path, default=Path("data/dev.json"), help="claims of the split")
    flags.add_argument("-o", "--json_output", dest="output", default="data_store/dev_top_k_sentences.json",
                       help="ranked sentences, one claim a line")  # fmt: skip
    flags.add_argument("--top_k", type=positive, default=100, help="sentences for each claim")
    flags.add_argument("--retriever", choices=list(RETRIEVERS), default="bm25",
                       help="bm25: as published, fast; rank_bm25: the published library itself")  # fmt: skip
    flags.add_argument("--index_dir", type=Path, help="where indexes are kept (default: KNOWLEDGE_STORE_DIR.index)")
    flags.add_argument("--no_index", action="store_true", help="neither keep indexes nor use kept ones")
    flags.add_argument("--workers", type=positive, default=cores(), help="processes, for large stores")
    add_range(flags)
    return flags


@step
def main(argv: Sequence[str] | None = None) -> int:
    args = parser().parse_args(argv)
    claims = read_claims(args.claim_file)
    store = KnowledgeStore(args.knowledge_store_dir)
    end = _last_with_pages(store, claims) if args.end == -1 else args.end
    last = end_of(claims) - 1
    notes = (
        [] if args.end != -1 or end > last else [f"the knowledge store ends at claim {end - 1}, the claims at {last}"]
    )
    chosen = in_range(claims, args.start, end)
    index_dir = None if args.no_index or args.dry_run else args.index_dir or _beside(store.path)
    ranking = ClaimRanking(store, RETRIEVERS[args.retriever](index_dir), args.top_k)
    return run(
        Job(
            step=MODULE,
            args=args,
            claims=chosen,
            inputs={"claim_file": args.claim_file, "knowledge_store_dir": store.path},
            start=lambda: Engine(work=ranking, notes=notes, notes_on=partial(notes_on, folder=index_dir)),
            without_result=ranking.without_result,
            encode=encode_ranked,
            workers=min(args.workers, 1 + sum(store.size(claim.claim_id) for claim in chosen) // WORTH_A_WORKER),
        )
    )


def _beside(path: Path) -> Path:
    """`data_store/knowledge_store/dev` -> `data_store/knowledge_store/dev.index`."""
    return path.absolute().with_name(f"{path.absolute().name}.index")


def _last_with_pages(store: KnowledgeStore, claims: Sequence[Claim]) -> int:
    """The claim_id after the last one that stands in both. Raises InputError for a store of no claims."""
    if not len(store):
        raise InputError("there is no <claim_id>.json in it", path=store.path)
    return min(store.last() + 1, end_of(claims))


if __name__ == "__main__":
    raise SystemExit(main())
