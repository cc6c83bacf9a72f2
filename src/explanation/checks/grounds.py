"""What an explanation may rest on: the claim, its label, and its pieces of evidence, made ready once."""

import re
from dataclasses import dataclass
from functools import cached_property

from src.explanation.labels import CONCLUSIONS
from src.explanation.pieces import Piece, pieces
from src.explanation.records import ExplainedClaim
from src.quantities import Told, quantities
from src.reranking.hybrid.own_words import own_words
from src.text import sentences


@dataclass(frozen=True)
class Grounds:
    """`pieces` are all of the claim's, whatever a model has read of them."""

    claim: ExplainedClaim
    pieces: tuple[Piece, ...]

    @classmethod
    def of(cls, claim: ExplainedClaim) -> "Grounds":
        return cls(claim, tuple(pieces(claim)))

    @cached_property
    def text(self) -> str:
        """Claim, who made it and when, and pieces, a line each."""
        said = [self.claim.claim, self.claim.speaker, self.claim.claim_date.replace("-", " ")]
        return "\n".join([*said, *(piece.whole for piece in self.pieces)])

    def tells(self, sentence: str) -> bool:
        """Whether it is a whole sentence of a piece, or the whole piece, word for word; marks and case aside.

        The label's conclusion may stand behind it, as a template writes it. A part of a sentence is not enough, it may
        say the opposite: `it is untrue that eels fly` has `eels fly`.
        """
        conclusion = _plain(CONCLUSIONS.get(self.claim.label, ""))
        return _plain(sentence).removesuffix(f" {conclusion}") in self._sentences

    @cached_property
    def _sentences(self) -> frozenset[str]:
        whole = [text for piece in self.pieces for text in (piece.text, *sentences(piece.text))]
        return frozenset(map(_plain, whole)) - {""}

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(own_words(self.text))

    @cached_property
    def quantities(self) -> Told:
        return Told(quantities(self.text))


def _plain(text: str) -> str:
    """In small letters, without marks but for those that change a value."""
    return " ".join(re.findall(r"\d+(?:[.,:/]\d+)*|\w+|[%$\u20ac\u00a3+\u2212?]|(?<!\S)-(?=\d)", text.casefold()))
