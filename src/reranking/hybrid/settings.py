"""Weights and limits of hybrid retrieval, and the settings of it that users may change.

The weights were chosen on retrieved sentences of the first 1,000 train claims (`python -m bench.retrieval.tune`). The
shares of pages and sites were chosen by judgment, since train's sentences give no information on them.
"""

from pathlib import Path
from typing import Annotated

import msgspec

from src.reranking.hybrid.vectors import Precision
from src.settings import Flag, flag_names


class Settings(msgspec.Struct, frozen=True):
    """Weights and limits of hybrid retrieval.

    A weight of 0 turns its part off; a share or likeness of 1 turns its limit off.
    """

    candidates: int = 300  # sentences that BM25 passes on to the encoder
    lexical: float = 0.4  # share of BM25 in the likeness to the claim; the rest is the cosine's
    speaker: float = 0.25  # weight of the speaker's words as a query; the claim's is 1
    date: float = 0.25  # weight of the claim's month and year as a query
    hypothetical: float = 0.5  # weight of the hypothetical fact-check as a query
    substance_words: int = 20  # new words beyond the claim's that give full substance; 0 turns it off
    feedback: float = 1.0  # weight of the likeness to the first sentences found
    feedback_sentences: int = 3  # number of first sentences for feedback
    diversity: float = 0.2  # weight of the likeness to sentences chosen before (MMR)
    same: float = 0.9  # cosine from which two sentences say the same, and the later one is dropped
    page_share: float = 0.3  # share of the chosen sentences from one page
    site_share: float = 0.5  # share of the chosen sentences from one site


class HybridRetrieval(msgspec.Struct, frozen=True):
    """Settings of hybrid retrieval that users may change. Other retrievers use none of them."""

    encoder: Annotated[
        str | None,
        Flag("mpnet, or a sentence-transformers folder or name (default: the bundled all-MiniLM-L6-v2)", or_path=True),
    ] = None
    vectors: Annotated[Precision | None, Flag("how vectors are kept (default: float16)")] = None
    hyde: Annotated[bool, Flag("also seek what a fact-check by --llm would say")] = False
    passages: Annotated[bool, Flag("give each sentence with what is around it on the page")] = False
    exclude_urls: Annotated[Path | None, Flag("file of hosts and URLs to refuse, one a line")] = None
    keep_fact_check: Annotated[bool, Flag("keep a claim's own fact-checking article")] = False
    keep_later_pages: Annotated[bool, Flag("keep pages dated after their claim")] = False

    def given(self) -> list[str]:
        """Return the names of the settings that the user changed."""
        return [name for name in flag_names(type(self)) if getattr(self, name)]

    def inputs(self) -> dict[str, Path]:
        """Return the files and folders that the settings name, by flag; the run's fingerprint covers their content."""
        files = {"exclude_urls": self.exclude_urls} if self.exclude_urls else {}
        if self.encoder and Path(self.encoder).is_dir():
            files["encoder"] = Path(self.encoder)
        return files
