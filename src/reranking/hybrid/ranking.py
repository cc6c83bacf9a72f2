"""Hybrid retrieval with the weights that were chosen for it."""

from src.reranking.hybrid.retriever import HybridRetriever
from src.reranking.hybrid.settings import Settings
from src.reranking.retriever_settings import RetrieverSettings


def hybrid(settings: RetrieverSettings) -> HybridRetriever:
    """Return the hybrid retriever. Raises InputError without an encoder."""
    return HybridRetriever(
        settings.needed_encoder(),
        Settings(),
        settings.index_dir,
        settings.precision,
        settings.refused,
        settings.passage_words if settings.passages else None,
    )
