"""Step: the best sentences of each claim's knowledge store, by BM25 with the claim as the query.

Reads the claims and the knowledge store, writes one line a claim with its `--top_k` sentences, best first.
Published flags and defaults, but for the output's name, which is the one that the next step reads.
"""

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from src.errors import ClaimError, InputError
from src.knowledge_store import KnowledgeStore
from src.records import Claim, RankedSentences
from src.reranking.bm25 import BM25
from src.reranking.top_file import encode_ranked
from src.runner.arguments import add_range, end_of, in_range, positive, step, step_parser
from src.runner.job import Engine, Job, run
from src.runner.outcome import Outcome
from src.store import read_claims
from src.text import numbered_words, words

MODULE = "src.reranking.bm25_sentences"


def parser() -> argparse.ArgumentParser:
    flags = step_parser(__doc__, MODULE)
    flags.add_argument("-k", "--knowledge_store_dir", type=Path, default=Path("data_store/knowledge_store/dev"),
                       help="folder or zip of <claim_id>.json")  # fmt: skip
    flags.add_argument("-c", "--claim_file", type=Path, default=Path("data/dev.json"), help="claims of the split")
    flags.add_argument("-o", "--json_output", dest="output", default="data_store/dev_top_k_sentences.json",
                       help="ranked sentences, one claim a line")  # fmt: skip
    flags.add_argument("--top_k", type=positive, default=100, help="sentences for each claim")
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
    return run(
        Job(
            step=MODULE,
            args=args,
            claims=in_range(claims, args.start, end),
            inputs={"claim_file": args.claim_file, "knowledge_store_dir": store.path},
            start=lambda: Engine(work=partial(_rank_all, store, args.top_k), notes=notes),
            without_result=lambda claim: RankedSentences(claim.claim_id, claim.claim, args.top_k, []),
            encode=encode_ranked,
        )
    )


def _last_with_pages(store: KnowledgeStore, claims: Sequence[Claim]) -> int:
    """The claim_id after the last one that stands in both. Raises InputError for a store of no claims."""
    if not len(store):
        raise InputError("there is no <claim_id>.json in it", path=store.path)
    return min(store.last() + 1, end_of(claims))


def _rank_all(store: KnowledgeStore, top_k: int, claims: Sequence[Claim]) -> list[Outcome[RankedSentences]]:
    return [rank(claim, store, top_k) for claim in claims]


def rank(claim: Claim, store: KnowledgeStore, top_k: int) -> Outcome[RankedSentences]:
    """The top sentences of a claim; none when its store is empty. Raises StoreError; ClaimError for an empty claim."""
    if not claim.claim.strip():
        raise ClaimError("the claim is empty")
    sentences = store.sentences(claim.claim_id)
    index = BM25.of(numbered_words([sentence.sentence for sentence in sentences]))
    best = [sentences[place] for place in index.top(words(claim.claim), top_k)]
    return Outcome(RankedSentences(claim.claim_id, claim.claim, top_k, best), {"sentences": len(sentences)})


if __name__ == "__main__":
    raise SystemExit(main())
