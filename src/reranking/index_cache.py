"""Cached BM25 indexes of claims' knowledge stores; a cached index is used as long as its store is unchanged.

Limitations: a small store's index is not cached, since building it takes no longer than writing a file safely.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from src.array_cache import NotKept
from src.errors import OutputError
from src.knowledge_store import ClaimFile
from src.reranking.bm25 import BM25
from src.vocabulary import NumberedWords

KEPT_FROM = 1_000  # sentences
CHANGED, UNUSABLE, NOT_KEPT = "stores_changed", "indexes_unusable", "indexes_not_kept"


@dataclass(frozen=True)
class IndexedWords:
    """A tokenization, for cached indexes.

    `name`: its name with its version.
    `ending`: suffix of the index files.
    `numbered`: function from texts to their words, as numbers of a vocabulary.
    """

    name: str
    ending: str
    numbered: Callable[[Sequence[str]], NumberedWords]


def index_of(file: ClaimFile, texts: Sequence[str], folder: Path | None, words: IndexedWords
             ) -> tuple[BM25, dict[str, int]]:  # fmt: skip
    """Return the BM25 index of the sentences `texts` of a claim's file, and counts of problems with the cache.

    The index is cached in `folder` under the file's name. If `folder` is None, there is no cache. The counts are for
    the manifest and for `notes_on`; they are empty if there was no problem.
    """
    if folder is None or len(texts) < KEPT_FROM:
        return BM25.of(words.numbered(texts)), {}
    path = kept_path(file, folder, words.ending)
    labels = {"store": file.sha256, "words": words.name}
    try:
        return BM25.recall(path, labels), {}
    except NotKept as reason:
        counts = unusable(str(reason))
    index = BM25.of(words.numbered(texts))
    try:
        index.keep(path, labels)
    except OutputError:
        counts = {NOT_KEPT: 1}
    return index, counts


def unusable(reason: str) -> dict[str, int]:
    """Return the counts for the manifest when a cached file could not be used; `reason` is the message of `NotKept`.

    An empty reason means that there was no cached file; the counts are then empty.
    """
    if not reason:
        return {}
    return {CHANGED if reason == "made for another store" else UNUSABLE: 1}


def kept_path(file: ClaimFile, folder: Path, ending: str) -> Path:
    """Return the path of a cache file for a claim's file: `dev/0.json` -> `FOLDER/0.ENDING`."""
    return folder / f"{file.path.name.partition('.')[0]}.{ending}"


def notes_on(counts: Mapping[str, int], folder: Path | None) -> list[str]:
    """Return notes for the user about the cached indexes; `counts` are summed over all claims."""
    messages = {
        CHANGED: "stores changed since they were indexed, indexed again",
        UNUSABLE: "kept indexes or vectors damaged or made otherwise, made again",
        NOT_KEPT: f"indexes not kept, since {folder} cannot be written",
    }
    return [f"{text}: {counts[name]}" for name, text in messages.items() if counts.get(name)]
