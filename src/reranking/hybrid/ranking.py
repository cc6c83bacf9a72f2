"""Hybrid retrieval with the chosen weights."""

from src.reranking.hybrid.retriever import HybridRetriever
from src.reranking.hybrid.settings import Settings
from src.reranking.retriever_settings import RetrieverSettings


def hybrid(settings: RetrieverSettings) -> HybridRetriever:
    """Return the hybrid retriever. Raises InputError when the settings have no encoder."""
    return HybridRetriever(
        settings.needed_encoder(),
        Settings(),
        settings.index_dir,
        settings.precision,
        settings.refused,
        settings.passage_words if settings.passages else None,
    )
