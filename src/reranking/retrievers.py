"""The table of retrievers by name, which `bm25_sentences`, `pipeline.sh`, a check and the server read.

To add a retriever, write a file with a function from `RetrieverSettings` to a `Retriever`, and add its line here.
"""

from collections.abc import Callable
from typing import NamedTuple

from src.reranking.claim_ranking import Retriever
from src.reranking.hybrid.ranking import hybrid
from src.reranking.published_ranking import bm25, rank_bm25
from src.reranking.retriever_settings import RetrieverSettings


class NamedRetriever(NamedTuple):
    """`about` is its part of the help. `work` is the time it takes, with that of bm25 on the same pages as 1.

    `is_hybrid`: it takes the settings and the flags of hybrid retrieval, passages and refused pages among them.
    """

    make: Callable[[RetrieverSettings], Retriever]
    about: str
    work: int = 1
    is_hybrid: bool = False


BM25, HYBRID = "bm25", "hybrid"
RETRIEVERS: dict[str, NamedRetriever] = {
    BM25: NamedRetriever(bm25, "as published, fast"),
    "rank_bm25": NamedRetriever(rank_bm25, "the published library itself"),
    HYBRID: NamedRetriever(hybrid, "words and vectors, without repetitions", work=8, is_hybrid=True),
}


def retrievers_help() -> str:
    """Return what the help of --retriever says of each."""
    return "; ".join(f"{name}: {one.about}" for name, one in RETRIEVERS.items())
