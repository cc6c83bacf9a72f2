"""Settings of hybrid retrieval that users may change."""

from pathlib import Path
from typing import Annotated

import msgspec

from src.reranking.hybrid.vectors import Precision
from src.settings import Flag, flag_names


class HybridRetrieval(msgspec.Struct, frozen=True):
    """Settings of hybrid retrieval; another retriever reads none of them (`given` names those that were changed)."""

    encoder: Annotated[
        str | None, Flag("mpnet, or a sentence-transformers folder or name (default: the bundled all-MiniLM-L6-v2)")
    ] = None
    vectors: Annotated[Precision | None, Flag("how vectors are kept (default: float16)")] = None
    hyde: Annotated[bool, Flag("also seek what a fact-check by --llm would say")] = False
    passages: Annotated[bool, Flag("give each sentence with what is around it on the page")] = False
    exclude_urls: Annotated[Path | None, Flag("file of hosts and URLs to refuse, one a line")] = None
    keep_fact_check: Annotated[bool, Flag("keep a claim's own fact-checking article")] = False
    keep_later_pages: Annotated[bool, Flag("keep pages dated after their claim")] = False

    def given(self) -> list[str]:
        """Return the names of the settings that were changed."""
        return [name for name in flag_names(type(self)) if getattr(self, name)]

    def inputs(self) -> dict[str, Path]:
        """Return the files and folders that are named, by flag; the run's fingerprint covers their content."""
        found = {"exclude_urls": self.exclude_urls} if self.exclude_urls else {}
        if self.encoder and Path(self.encoder).is_dir():
            found["encoder"] = Path(self.encoder)
        return found
