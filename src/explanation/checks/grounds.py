"""The texts that an explanation may rest on: the claim, its label and its evidence, preprocessed once."""

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
    """The claim and all its pieces of evidence, including those that a model did not read."""

    claim: ExplainedClaim
    pieces: tuple[Piece, ...]

    @classmethod
    def of(cls, claim: ExplainedClaim) -> "Grounds":
        return cls(claim, tuple(pieces(claim)))

    @cached_property
    def text(self) -> str:
        """Return the claim, its speaker, its date and the pieces, one per line."""
        said = [self.claim.claim, self.claim.speaker, self.claim.claim_date.replace("-", " ")]
        return "\n".join([*said, *(piece.whole for piece in self.pieces)])

    def tells(self, sentence: str) -> bool:
        """Return True if the sentence is a whole sentence of a piece, or a whole piece, apart from punctuation and
        case.

        The label's conclusion may follow it, as templates write it. A part of a sentence is not enough, because it may
        say the opposite: `it is untrue that eels fly` contains `eels fly`.
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
    """Return the text in lower case, without punctuation except for signs that change a value."""
    return " ".join(re.findall(r"\d+(?:[.,:/]\d+)*|\w+|[%$\u20ac\u00a3+\u2212?]|(?<!\S)-(?=\d)", text.casefold()))
