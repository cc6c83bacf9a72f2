"""A corpus of titled paragraphs (Wikipedia's for HOVER and FEVEROUS): `Corpus.open(file).bm25(queries, 10)`.

A title and its text are one field: a word of the title weighs as one of the text. The index is kept in a folder beside
the file, checked by the file's hash, and made again when it belongs to another file or is damaged; what is large in it
is mapped, and paragraphs are read when they are hits, so that opening a kept corpus takes little time and memory.

But: knows nothing of claims, dates or pages; a knowledge store's sentences are chosen in `src/reranking/hybrid`.
"""

import fcntl
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self

from src.errors import InputError, OutputError
from src.kept_arrays import NotKept
from src.numbered_words import numbered
from src.records import Paragraph
from src.reranking.bm25 import BM25
from src.reranking.corpus.noted_hash import noted_sha256
from src.reranking.corpus.paragraph_file import ParagraphFile
from src.reranking.hybrid.own_words import cut, own_words
from src.reranking.largest import largest

WORDS = "own 1"


class Paragraphs(Protocol):
    """A list of them, or a file."""

    def __len__(self) -> int: ...
    def __getitem__(self, place: int, /) -> Paragraph: ...
    def __iter__(self) -> Iterator[Paragraph]: ...


@dataclass(frozen=True)
class Hit:
    """A paragraph found: `place` is its 0-based place in the corpus; scores compare within one query only."""

    place: int
    score: float
    paragraph: Paragraph


@dataclass(frozen=True)
class Corpus:
    """Made by `of` from paragraphs in memory, or by `open` from a file."""

    paragraphs: Paragraphs
    words: BM25

    @classmethod
    def of(cls, paragraphs: Paragraphs) -> Self:
        return cls(paragraphs, BM25.of(numbered(map(whole_text, paragraphs), cut)))

    @classmethod
    def open(cls, path: Path, folder: Path | None = None) -> Self:
        """The corpus of a file of `{"title", "text"}`: JSON lines or a JSON list, gzipped or not.

        The index stands in `folder`, by default `<path>.index`. A second process waits while one makes it.
        Raises InputError (file, line, field), and OutputError when the index cannot be written there.
        """
        if not path.exists():
            raise InputError("not found", path=path)
        folder = folder or path.with_name(f"{path.name}.index")
        with _alone(folder):
            labels = {"corpus": noted_sha256(path, folder / "source.json"), "words": WORDS}
            paragraphs = ParagraphFile.open(path, folder, labels)
            try:
                return cls(paragraphs, BM25.recall(folder / "bm25", labels))
            except NotKept:
                made = cls.of(paragraphs)
                made.words.keep(folder / "bm25", labels)
                return made

    def __len__(self) -> int:
        return len(self.paragraphs)

    def bm25(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """For each query the k best paragraphs, best first, equal ones by place; only such as hold a word of it."""
        return [self._by_words(query, k) for query in queries]

    def _by_words(self, query: str, k: int) -> list[Hit]:
        scores = self.words.scores(own_words(query))
        best = [place for place in largest(scores, k).tolist() if scores[place] > 0]
        return [Hit(place, float(scores[place]), self.paragraphs[place]) for place in best]


def whole_text(paragraph: Paragraph) -> str:
    """What is searched."""
    return f"{paragraph.title}\n{paragraph.text}"


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """One process at a time in the folder; the system frees the lock when its holder dies."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise OutputError(f"cannot write {folder}: {error.strerror or error}; name another folder") from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
