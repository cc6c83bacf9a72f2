"""How a corpus is searched by words: which words a text has, and the formula that scores them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from src.reranking.bm25 import OKAPI, Formula
from src.reranking.hybrid.own_words import VERSION, cut


@dataclass(frozen=True)
class Lexicon:
    """`name` says in which folder an index is kept, `version` what its words are; `cut` are the words of a chunk."""

    name: str
    version: str
    cut: Callable[[str], Sequence[str]]
    formula: Formula

    def words(self, text: str) -> list[str]:
        """Return the words of a text, in order."""
        return [word for chunk in text.split() for word in self.cut(chunk)]


OWN = Lexicon("bm25", VERSION, cut, OKAPI)
