"""The BM25 index of a claim's knowledge store, kept in a folder and recalled as long as the store is the same.

But: a store of few sentences is not kept, since indexing it takes no longer than writing a file for certain.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from src.errors import OutputError
from src.kept_arrays import NotKept
from src.knowledge_store import ClaimFile
from src.reranking.bm25 import BM25
from src.text import NLTK_VERSION, numbered_words

KEPT_FROM = 1_000  # sentences
CHANGED, UNUSABLE, NOT_KEPT = "stores_changed", "indexes_unusable", "indexes_not_kept"


def index_of(file: ClaimFile, texts: Sequence[str], folder: Path | None) -> tuple[BM25, dict[str, int]]:
    """The index over the sentences of a claim's file, and what is to be counted about the kept one.

    It is kept in `folder` by the name of the file; with None it is neither recalled nor kept.
    """
    if folder is None or len(texts) < KEPT_FROM:
        return BM25.of(numbered_words(texts)), {}
    path = folder / f"{file.path.name.partition('.')[0]}.bm25"
    labels = {"store": file.sha256, "words": f"NLTK {NLTK_VERSION}"}
    counts = {}
    try:
        return BM25.recall(path, labels), {}
    except NotKept as reason:
        if str(reason):
            counts[CHANGED if str(reason) == "made for another store" else UNUSABLE] = 1
    index = BM25.of(numbered_words(texts))
    try:
        index.keep(path, labels)
    except OutputError:
        counts = {NOT_KEPT: 1}
    return index, counts


def notes_on(counts: Mapping[str, int], folder: Path | None) -> list[str]:
    """What a run says about the kept indexes, from the sums of what was counted."""
    said = {
        CHANGED: "stores changed since they were indexed, indexed again",
        UNUSABLE: "kept indexes damaged or of another version, made again",
        NOT_KEPT: f"indexes not kept, since {folder} cannot be written",
    }
    return [f"{text}: {counts[name]}" for name, text in said.items() if counts.get(name)]
