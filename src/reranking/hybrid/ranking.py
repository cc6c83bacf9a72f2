"""Hybrid retrieval over a store as the work of `bm25_sentences`: its parts put together."""

from pathlib import Path

from src.knowledge_store import KnowledgeStore
from src.reranking.claim_ranking import ClaimRanking, Hypotheticals
from src.reranking.hybrid.retriever import HybridRetriever, Refused
from src.reranking.hybrid.settings import Settings
from src.reranking.hybrid.vectors import Encoder, Precision


def hybrid_ranking(
    store: KnowledgeStore,
    encoder: Encoder,
    refused: Refused,
    top_k: int,
    *,
    index_dir: Path | None = None,
    precision: Precision | None = None,
    hypotheticals: Hypotheticals | None = None,
    passages: bool = False,
) -> ClaimRanking:
    """Without `index_dir` nothing is kept. `passages`: sentences come with their neighbors, as one text."""
    retriever = HybridRetriever(encoder, Settings(), index_dir, precision or "float16", refused, passages)
    return ClaimRanking(store, retriever, top_k, hypotheticals)
