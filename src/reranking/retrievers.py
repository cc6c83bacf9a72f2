"""Table of retrievers by name, used by the step `bm25_sentences`, `pipeline.sh`, a check of one claim, and the server.

To add a retriever, write a module with a function from `RetrieverSettings` to a `Retriever`, and add its line here.
"""

from collections.abc import Callable
from typing import NamedTuple

from src.reranking.claim_ranking import Retriever
from src.reranking.hybrid.retriever import HybridRetriever
from src.reranking.hybrid.settings import Settings
from src.reranking.published_ranking import bm25, rank_bm25
from src.reranking.retriever_settings import RetrieverSettings


def hybrid(settings: RetrieverSettings) -> HybridRetriever:
    """Return the hybrid retriever with these settings. Raises InputError when the settings have no encoder."""
    return HybridRetriever(
        settings.needed_encoder(),
        Settings(),
        settings.index_dir,
        settings.precision,
        settings.refused,
        settings.passage_words if settings.passages else None,
    )


class NamedRetriever(NamedTuple):
    """Entry of the table of retrievers.

    `make`: makes the retriever from its settings.
    `about`: description for the help text.
    `work`: its time relative to bm25 on the same pages; 8 means eight times as long.
    `is_hybrid`: True if it takes the settings of hybrid retrieval, such as passages and refused pages.
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
    """Return the help text of `--retriever`: the names of the retrievers with their descriptions."""
    return "; ".join(f"{name}: {retriever.about}" for name, retriever in RETRIEVERS.items())
