"""Step: the best sentences of each claim's knowledge store.

Reads the claims and the knowledge store, writes one line per claim with its `--top_k` sentences, best first.
`--retriever bm25` is the published step, with its flags and defaults except for the output's name, which is the one
that the next step reads. `hybrid` finds better sentences. Indexes and vectors are kept next to the store for later
runs.
"""

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import msgspec

from src.errors import InputError
from src.knowledge_store import KnowledgeStore
from src.llm import ModelInfo, get_llm
from src.llm.flags import add_model_flags, options_from
from src.models.encoder import load_encoder
from src.models.sentence_encoder import SentenceEncoder
from src.records import Claim, RankedSentences
from src.reranking.claim_ranking import ClaimRanking
from src.reranking.hybrid.flags import add_hybrid_flags, check_hybrid_flags, hybrid_inputs
from src.reranking.hybrid.hyde import write_hypotheticals
from src.reranking.kept_index import notes_on
from src.reranking.retriever_settings import RetrieverSettings
from src.reranking.retrievers import BM25, RETRIEVERS, retrievers_help
from src.reranking.top_file import encode_ranked
from src.retrieval.leakage.filters import read_leakage
from src.retrieval.leakage.stored_pages import refused_pages, without_dates
from src.runner.arguments import add_range, end_of, in_range, positive, step, step_parser
from src.runner.job import Engine, Job, run
from src.runner.workers import cores
from src.store import read_claims

MODULE = "src.reranking.bm25_sentences"
WORTH_A_WORKER = 8_000_000  # bytes of pages: a new process starts in less time than it ranks them
HYDE_BATCH = 16  # claims whose fact-checks are written together


class Models(msgspec.Struct):
    """Models of hybrid retrieval, for the manifest."""

    encoder: ModelInfo
    hypothetical: ModelInfo | None = None


def parser() -> argparse.ArgumentParser:
    flags = step_parser(__doc__, MODULE)
    flags.add_argument("-k", "--knowledge_store_dir", type=Path, default=Path("data_store/knowledge_store/dev"),
                       help="folder or zip of <claim_id>.json")  # fmt: skip
    flags.add_argument("-c", "--claim_file", type=Path, default=Path("data/dev.json"), help="claims of the split")
    flags.add_argument("-o", "--json_output", dest="output", default="data_store/dev_top_k_sentences.json",
                       help="ranked sentences, one claim a line")  # fmt: skip
    flags.add_argument("--top_k", type=positive, default=100, help="sentences for each claim")
    flags.add_argument("--retriever", choices=[*RETRIEVERS], default=BM25, help=retrievers_help())
    kept = flags.add_mutually_exclusive_group()
    kept.add_argument("--index_dir", type=Path, help="where indexes are kept (default: KNOWLEDGE_STORE_DIR.index)")
    kept.add_argument("--no_index", action="store_true", help="neither keep indexes nor use kept ones")
    flags.add_argument(
        "--workers", type=positive, default=cores(), help="processes, for large stores (one with --hyde or --encoder)"
    )
    add_hybrid_flags(flags)
    add_model_flags(flags)
    add_range(flags)
    return flags


@step
def main(argv: Sequence[str] | None = None) -> int:
    args = parser().parse_args(argv)
    check_hybrid_flags(args, is_hybrid=RETRIEVERS[args.retriever].is_hybrid)
    claims = read_claims(args.claim_file)
    store = KnowledgeStore(args.knowledge_store_dir)
    end = _last_with_pages(store, claims) if args.end == -1 else args.end
    last = end_of(claims) - 1
    notes = (
        [] if args.end != -1 or end > last else [f"the knowledge store ends at claim {end - 1}, the claims at {last}"]
    )
    chosen = in_range(claims, args.start, end, args.claim_file)
    args.index_dir = None if args.no_index or args.dry_run else args.index_dir or _beside(store.path)
    start = _start_hybrid if RETRIEVERS[args.retriever].is_hybrid else _start_plain
    return run(
        Job(
            step=MODULE,
            args=args,
            claims=chosen,
            inputs={"claim_file": args.claim_file, "knowledge_store_dir": store.path, **hybrid_inputs(args)},
            start=partial(start, args, store, chosen, notes),
            without_result=partial(without_result, args.top_k),
            encode=encode_ranked,
            batch=HYDE_BATCH if args.hyde else 1,
            workers=1 if args.hyde or args.encoder else _workers(args, store, chosen),
        )
    )


def _start_plain(
    args: argparse.Namespace, store: KnowledgeStore, claims: Sequence[Claim], notes: Sequence[str]
) -> Engine[Claim, RankedSentences]:
    retriever = RETRIEVERS[args.retriever].make(RetrieverSettings(index_dir=args.index_dir))
    ranking = ClaimRanking(store, retriever, args.top_k)
    return Engine(work=ranking, notes=notes, notes_on=partial(notes_on, folder=args.index_dir))


def _start_hybrid(
    args: argparse.Namespace, store: KnowledgeStore, claims: Sequence[Claim], notes: Sequence[str]
) -> Engine[Claim, RankedSentences]:
    leakage = read_leakage(args.claim_file, args.exclude_urls, keep_fact_check=args.keep_fact_check,
                           keep_later_pages=args.keep_later_pages)  # fmt: skip
    encoder: SentenceEncoder = load_encoder(args.encoder)
    model = get_llm(args.llm or "smollm2", options_from(args)) if args.hyde else None
    settings = RetrieverSettings(args.index_dir, encoder, partial(refused_pages, leakage), args.vectors or "float16",
                                 args.passages)  # fmt: skip
    hypotheticals = partial(write_hypotheticals, model) if model else None
    ranking = ClaimRanking(store, RETRIEVERS[args.retriever].make(settings), args.top_k, hypotheticals, args.passages)
    claim_ids = [claim.claim_id for claim in claims]
    undated = [] if args.keep_later_pages else without_dates(store.path, claim_ids)
    return Engine(
        work=ranking,
        model=Models(encoder.info, model.info if model else None),
        notes=[*notes, *leakage.notes(claim_ids), *undated],
        notes_on=partial(notes_on, folder=args.index_dir),
        deterministic=encoder.info.deterministic and (model is None or model.info.deterministic),
    )


def without_result(top_k: int, claim: Claim) -> RankedSentences:
    """Return the record of a claim for which no sentences could be found."""
    return RankedSentences(claim.claim_id, claim.claim, top_k, [])


def _workers(args: argparse.Namespace, store: KnowledgeStore, claims: Sequence[Claim]) -> int:
    """Return the requested number of workers, or fewer if ranking takes less time than starting a process."""
    asked: int = args.workers
    size = sum(store.size(claim.claim_id) for claim in claims)
    return min(asked, 1 + size * RETRIEVERS[args.retriever].work // WORTH_A_WORKER)


def _beside(path: Path) -> Path:
    """Return a store's index folder: `data_store/knowledge_store/dev` -> `data_store/knowledge_store/dev.index`."""
    return path.absolute().with_name(f"{path.absolute().name}.index")


def _last_with_pages(store: KnowledgeStore, claims: Sequence[Claim]) -> int:
    """Return the claim_id after the last one in both store and claims. Raises InputError for an empty store."""
    if not len(store):
        raise InputError("there is no <claim_id>.json in it", path=store.path)
    return min(store.last() + 1, end_of(claims))


if __name__ == "__main__":
    raise SystemExit(main())
