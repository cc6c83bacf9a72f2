"""Word search of a corpus: the words of a text, and the formula that scores them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from src.reranking.bm25 import OKAPI, Formula
from src.reranking.hybrid.own_words import VERSION, cut


@dataclass(frozen=True)
class Lexicon:
    """A tokenization and its BM25 formula.

    `name`: name of the index's folder.
    `version`: identifies the tokenization.
    `cut`: returns the words of a chunk of text without white space.
    `formula`: the form of BM25.
    """

    name: str
    version: str
    cut: Callable[[str], Sequence[str]]
    formula: Formula

    def words(self, text: str) -> list[str]:
        """Return the words of a text by this tokenization, in order."""
        return [word for chunk in text.split() for word in self.cut(chunk)]


OWN = Lexicon("bm25", VERSION, cut, OKAPI)
