"""Corpus of titled paragraphs (Wikipedia's for HOVER and FEVEROUS): `Corpus.open(file).bm25(queries, 10)`.

Title and text are one field: a word of the title weighs as much as one of the text. The index is cached in a folder
next to the file. It is built again if the file's hash has changed or the index is damaged. Its large parts are
memory-mapped, and paragraphs are read only for hits. Opening a cached index takes little time and memory.

Limitations: knows nothing of claims, dates or pages. Sentences of a knowledge store are chosen in
`src/reranking/hybrid`.
"""

import atexit
import fcntl
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol, Self

import numpy as np
import numpy.typing as npt

from src.array_cache import NotKept
from src.errors import InputError, OutputError
from src.records import Paragraph
from src.reranking.bm25 import BM25
from src.reranking.corpus.lexicon import OWN, Lexicon
from src.reranking.corpus.nearest import Nearest
from src.reranking.corpus.paragraph_file import ParagraphFile, cached_sha256
from src.reranking.corpus.titles import Titles
from src.reranking.fusion import fused
from src.reranking.hybrid.vectors import Encoder
from src.reranking.largest import largest
from src.vocabulary import numbered

LEXICAL = 0.5  # BM25's share in `hybrid`, chosen on HOVER's dev claims
FOLLOWED, PASSED_ON = 5, 0.5  # hits whose names are followed, and the share of their score that the pages they name get
READ = 500  # words of a hit in which names are looked for
QUERIES = 32  # queries whose cosines are in memory at once: 128 MB for a million paragraphs


class Paragraphs(Protocol):
    """Sequence of paragraphs: a list in memory, or a file."""

    def __len__(self) -> int: ...
    def __getitem__(self, place: int, /) -> Paragraph: ...
    def __iter__(self) -> Iterator[Paragraph]: ...


@dataclass(frozen=True)
class CorpusHit:
    """A search result: a paragraph, its score, and its index `place` (from 0) in the corpus.

    Scores are comparable within one query only.
    """

    place: int
    score: float
    paragraph: Paragraph


@dataclass(frozen=True)
class Corpus:
    """Searchable corpus, built by `of` from paragraphs in memory, or by `open` from a file.

    `words`: the index for `bm25`.
    `vectors`: sentence vectors, for `dense` and `hybrid`.
    `titles`: titles of the paragraphs, for `linked`.
    `lexicon`: tokenization and scoring of `bm25`.

    Each search takes many queries. It returns for each query the k best paragraphs, best first, ties by position.
    """

    paragraphs: Paragraphs
    words: BM25
    vectors: Nearest | None = None
    titles: Titles | None = None
    lexicon: Lexicon = OWN

    @classmethod
    def of(
        cls, paragraphs: Paragraphs, encoder: Encoder | None = None, *, titles: bool = False, lexicon: Lexicon = OWN
    ) -> Self:
        """Return the corpus of paragraphs in memory.

        `dense` and `hybrid` need an `encoder`; `linked` needs `titles`.
        """
        vectors = Nearest.of(len(paragraphs), _reader(paragraphs), encoder) if encoder else None
        named = Titles.of(paragraphs) if titles else None
        return cls(paragraphs, _index(paragraphs, lexicon), vectors, named, lexicon)

    @classmethod
    def open(
        cls, path: Path, folder: Path | None = None, encoder: Encoder | None = None, *, titles: bool = False,
        keep: bool = True, lexicon: Lexicon = OWN,
    ) -> Self:  # fmt: skip
        """Return the corpus of a file of `{"title", "text"}`: JSON lines or a JSON list, gzipped or not.

        The index is cached in `folder`, by default `<path>.index`. If `keep` is False, an index that is built here is
        deleted when the process ends; an existing one stays. If another process is building the index, this one waits.
        `dense` and `hybrid` need an `encoder`, `linked` needs `titles`. Raises InputError (file, line, field), and
        OutputError when the index cannot be written.
        """
        if not path.exists():
            raise InputError("not found", path=path)
        folder = folder or path.with_name(f"{path.name}.index")
        if not keep and not folder.exists():
            folder = _temporary_folder()
        with _locked(folder):
            labels = {"corpus": cached_sha256(path, folder / "source.json")}
            paragraphs = ParagraphFile.open(path, folder, labels)
            words = _cached_index(paragraphs, folder / lexicon.name, {**labels, "words": lexicon.version}, lexicon)
            size, text = len(paragraphs), _reader(paragraphs)
            vectors = Nearest.cached(size, text, encoder, folder, labels) if encoder else None
            named = Titles.cached(paragraphs, folder / "titles", labels) if titles else None
            return cls(paragraphs, words, vectors, named, lexicon)

    def __len__(self) -> int:
        return len(self.paragraphs)

    def bm25(self, queries: Sequence[str], k: int) -> list[list[CorpusHit]]:
        """Return the hits by BM25. A hit contains at least one word of its query, so there may be fewer than k hits."""
        return [self._best(self._of_holders(self.lexicon.words(query), k), k) for query in queries]

    def dense(self, queries: Sequence[str], k: int) -> list[list[CorpusHit]]:
        """Return the hits by cosine of sentence vectors.

        Raises ValueError when the corpus has no encoder, and ModelError when the encoder fails.
        """
        return [self._best(cosines, k) for cosines in self._cosines(queries)]

    def hybrid(self, queries: Sequence[str], k: int) -> list[list[CorpusHit]]:
        """Return the hits by BM25 and cosine together (`src/reranking/fusion.py`), over every paragraph.

        Raises ValueError when the corpus has no encoder, and ModelError when the encoder fails.
        """
        pairs = zip(queries, self._cosines(queries), strict=True)
        return [
            self._best(fused(self.words.scores(self.lexicon.words(query)), cosines, LEXICAL), k)
            for query, cosines in pairs
        ]

    def linked(self, queries: Sequence[str], k: int) -> list[list[CorpusHit]]:
        """Return the hits by BM25 and by title: a page that a top hit names gets half of that hit's score in addition.

        Raises ValueError when the corpus was opened without titles.
        """
        all_scores = (self._of_holders(self.lexicon.words(query), k) for query in queries)
        return [self._best(self._followed(scores), k) for scores in all_scores]

    def _followed(self, scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return the scores after each of the FOLLOWED best hits passed half of its score on to the pages it names.

        A page that several hits name gets the largest of these sums.
        """
        if self.titles is None:
            raise ValueError("this corpus was opened without its titles")
        raised = scores.copy()
        for place in (place for place in largest(scores, FOLLOWED).tolist() if scores[place] > 0):
            hit = self.paragraphs[place]
            own = {place, *self.titles.named(hit.title)}  # its page's other paragraphs are not named by it
            for named in self.titles.named(" ".join(hit.text.split(None, READ)[:READ])):
                if named not in own:
                    raised[named] = max(raised[named], max(scores[named], 0.0) + PASSED_ON * scores[place])
        return raised

    def _of_holders(self, words: Sequence[str], k: int) -> npt.NDArray[np.float64]:
        """Return the BM25 score of each paragraph.

        If fewer than k scores are above 0, paragraphs without any of the words have the score -inf.
        """
        scores = self.words.scores(words)
        if np.count_nonzero(scores > 0) >= k:
            return scores
        return np.where(self.words.holders(words), scores, -np.inf)

    def _cosines(self, queries: Sequence[str]) -> Iterator[npt.NDArray[np.float32]]:
        """Yield for each query its cosines with all paragraphs; they are computed in batches of queries."""
        if self.vectors is None:
            raise ValueError("this corpus was opened without an encoder")
        for first in range(0, len(queries), QUERIES):
            yield from self.vectors.cosines(queries[first : first + QUERIES])

    def _best(self, scores: npt.NDArray[np.floating[Any]], k: int) -> list[CorpusHit]:
        """Return the k paragraphs of the largest scores as hits, without those of score -inf."""
        places = [place for place in largest(scores, k).tolist() if scores[place] > -np.inf]
        return [CorpusHit(place, float(scores[place]), self.paragraphs[place]) for place in places]


def _index(paragraphs: Paragraphs, lexicon: Lexicon) -> BM25:
    return BM25.of(numbered(map(whole_text, paragraphs), lexicon.cut), lexicon.formula)


def _cached_index(paragraphs: Paragraphs, path: Path, labels: Mapping[str, str], lexicon: Lexicon) -> BM25:
    try:
        return BM25.recall(path, labels, lexicon.formula)
    except NotKept:
        _index(paragraphs, lexicon).keep(path, labels)
        return BM25.recall(path, labels, lexicon.formula)


def _reader(paragraphs: Paragraphs) -> Callable[[int], str]:
    """Return a function from the index of a paragraph to its indexed text."""
    return lambda place: whole_text(paragraphs[place])


def whole_text(paragraph: Paragraph) -> str:
    """Return the text of a paragraph that is indexed: its title and its text."""
    return f"{paragraph.title}\n{paragraph.text}"


def _temporary_folder() -> Path:
    """Create a temporary folder that is deleted when the process ends; return its path."""
    folder = TemporaryDirectory()
    atexit.register(folder.cleanup)
    return Path(folder.name)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Lock the folder for one process at a time; the system releases the lock if its holder dies."""
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
