"""The numbered pieces of evidence of a claim: its question-answer pairs, or the parts of its source.

Numbers count from 1, in the order of the file. A piece keeps its number if only the nearest pieces are read.
"""

from collections import Counter
from collections.abc import Sequence

import msgspec

from src.evaluation.averitec import NO_ANSWER
from src.explanation.records import ExplainedClaim
from src.reranking.bm25 import BM25
from src.reranking.hybrid.own_words import own_words
from src.text import same, sentences
from src.vocabulary import numbered


class Piece(msgspec.Struct, frozen=True):
    """A piece of evidence: an answer with its question, or a part of a source without a question."""

    number: int
    text: str
    question: str = ""

    @property
    def whole(self) -> str:
        """Return the question and the answer in one line."""
        return " ".join(f"{self.question} {self.text}".split())


def pieces(claim: ExplainedClaim) -> list[Piece]:
    """Return all pieces of evidence of the claim. A question without an answer is also a piece: it shows what is not
    known.
    """
    if claim.evidence:
        pairs = enumerate(claim.evidence, start=1)
        return [Piece(number, " ".join(pair.answer.split()), " ".join(pair.question.split())) for number, pair in pairs]
    lines = [line.strip() for line in claim.source.split("\n") if line.strip()]
    parts = sentences(lines[0]) if len(lines) == 1 else lines
    return [Piece(number, part) for number, part in enumerate(parts, start=1)]


def is_answered(piece: Piece) -> bool:
    return bool(piece.text) and same(piece.text) != same(NO_ANSWER)


def nearest(pieces: Sequence[Piece], claim: str, words: int | None) -> list[Piece]:
    """Return the pieces that are nearest to the claim by BM25 and have at most `words` words in total; all pieces if
    `words` is None.

    The pieces keep their order. The nearest piece is always included, cut if it is longer than `words`.
    """
    if words is None or sum(len(piece.whole.split()) for piece in pieces) <= words:
        return list(pieces)
    index = BM25.of(numbered([piece.whole for piece in pieces], own_words))
    chosen: set[int] = set()
    left = words
    for place in index.top(own_words(claim), len(pieces)):
        size = len(pieces[place].whole.split())
        if size <= left or not chosen:
            chosen.add(place)
            left -= size
    return [_cut(piece, words) for place, piece in enumerate(pieces) if place in chosen]


def nearest_piece(sentence: str, pieces: Sequence[Piece]) -> tuple[int, ...]:
    """Return the number of the piece that shares most words with the sentence, as a tuple; empty if no piece shares a
    word.
    """
    return NearestPiece(pieces).to(sentence)


class NearestPiece:
    """Index of pieces of evidence by their words, for `nearest_piece` over many sentences."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self._holders: dict[str, list[int]] = {}
        for piece in pieces:
            for word in set(own_words(piece.whole)):
                self._holders.setdefault(word, []).append(piece.number)
        self._known: dict[str, tuple[int, ...]] = {}

    def to(self, sentence: str) -> tuple[int, ...]:
        """Return the number of the piece that shares most words with the sentence, as a tuple; empty if no piece shares
        a word. Of several such pieces, the first is chosen.
        """
        if sentence not in self._known:
            words = set(own_words(sentence))
            shared = Counter(number for word in words for number in self._holders.get(word, ()))
            best = max(shared, key=lambda number: (shared[number], -number), default=None)
            self._known[sentence] = () if best is None else (best,)
        return self._known[sentence]


def _cut(piece: Piece, words: int) -> Piece:
    """Return the piece cut to `words` words. The question keeps the words that the answer leaves free, but at least
    half of them.
    """
    question, text = piece.question.split(), piece.text.split()
    question = question[: max(words - len(text), words // 2)]
    return Piece(piece.number, " ".join(text[: words - len(question)]), " ".join(question))
