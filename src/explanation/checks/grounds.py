"""The texts that an explanation may be based on (claim, label, evidence), preprocessed once for all checks."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from msgspec.structs import replace

from src.explanation.labels import CONCLUSIONS, conclusion
from src.explanation.pieces import NearestPiece, Piece, nearest, pieces
from src.explanation.records import ExplainedClaim, Finding
from src.explanation.typology import ErrorType
from src.quantities import QuantityIndex, quantities
from src.reranking.hybrid.own_words import own_words
from src.text import sentences

_NUMBER = r"(?:\d{1,2}(?:st|nd|rd|th)?|[a-z]{1,20}(?:st|nd|rd|th)\b|one|two|three|four|five|six|seven|eight|nine|ten)"
_NUMBERS = rf"{_NUMBER}(?:\s*(?:,|and|&|to|-)\s*{_NUMBER}){{0,9}}"
_DIGITS = r"\d{1,2}(?:\s*(?:,|and|&|to|-)\s*\d{1,2}){0,9}\b(?![.,]?\d)"
_REFERENCE = re.compile(
    rf"\b(?:{_NUMBERS}\s+)?(?:q\s?(?:&|and)\s?as?|q/a|qas?)(?:['\u2019]s)?(?:\s+pairs?)?(?:\s+{_NUMBERS})?\b"
    rf"|\b(?:answers?|questions?|sources?|evidence|pairs?)\s+(?:no\.?\s*)?{_DIGITS}"
    rf"|\b{_NUMBERS}\s+(?:answers?|questions?|sources?|pieces?\s+of\s+evidence|pairs?)\b"
    r"|\[\d{1,2}\]|\bq\d{1,2}\b",
    re.IGNORECASE,
)


def without_references(sentence: str) -> str:
    """Return the sentence with spaces in place of references to the evidence, such as `answer 2`; its length does not
    change.
    """
    return _REFERENCE.sub(lambda match: " " * len(match[0]), sentence)


@dataclass(frozen=True)
class Grounds:
    """A claim and all its pieces of evidence, including those that a language model did not read."""

    claim: ExplainedClaim
    pieces: tuple[Piece, ...]

    @classmethod
    def of(cls, claim: ExplainedClaim) -> "Grounds":
        return cls(claim, tuple(pieces(claim)))

    @cached_property
    def text(self) -> str:
        """Return the claim, its speaker, its date and the pieces of evidence as one text, each on a line."""
        of_claim = [self.claim.claim, self.claim.speaker, self.claim.claim_date.replace("-", " ")]
        return "\n".join([*of_claim, *(piece.whole for piece in self.pieces)])

    def has_sentence(self, sentence: str) -> bool:
        """Return True if the sentence is copied: a whole sentence or a whole piece of the evidence, apart from
        punctuation and case.

        The label's conclusion may follow it, as templates write it. A part of a sentence is not enough, because it may
        say the opposite: `it is untrue that eels fly` contains `eels fly`.
        """
        conclusion = _plain(CONCLUSIONS.get(self.claim.label, ""))
        return _plain(sentence).removesuffix(f" {conclusion}") in self._sentences

    @cached_property
    def _sentences(self) -> frozenset[str]:
        texts = [text for piece in self.pieces for text in (piece.text, *sentences(piece.text))]
        return frozenset(map(_plain, texts)) - {""}

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(own_words(self.text))

    @cached_property
    def quantities(self) -> QuantityIndex:
        return QuantityIndex(quantities(self.text))


def _plain(text: str) -> str:
    """Return the text in lower case, without punctuation except for signs that change a value."""
    return " ".join(re.findall(r"\d+(?:[.,:/]\d+)*|\w+|[%$\u20ac\u00a3+\u2212?]|(?<!\S)-(?=\d)", text.casefold()))


PREMISE_WORDS = 130  # most words of the evidence; this leaves room for the sentence and the claim
MOST_PIECES = 8  # most pieces of evidence; with claim and verdict, as many passages as the model reads


def premise(sentence: str, grounds: Grounds) -> list[tuple[str, str]]:
    """Return the claim, the verdict and the evidence nearest to the sentence as (title, text) pairs, the input of the
    tagger (`src/models/evidence_rows.py`).
    """
    read = nearest(grounds.pieces, sentence, PREMISE_WORDS)
    chosen = [(piece.question, piece.text) for piece in read]
    if len(chosen) > MOST_PIECES:
        chosen = [
            *chosen[: MOST_PIECES - 1],
            ("", " ".join(f"{question} {text}".strip() for question, text in chosen[MOST_PIECES - 1 :])),
        ]
    by_whom = " ".join(filter(None, ("claim", grounds.claim.speaker, grounds.claim.claim_date)))
    return [(by_whom, grounds.claim.claim), ("verdict", conclusion(grounds.claim.label)), *chosen]


INTRINSIC = frozenset((ErrorType.INTRINSIC_ENTITY, ErrorType.INTRINSIC_EVENT, ErrorType.INTRINSIC_NOUN_PHRASE))


def with_evidence(claim: ExplainedClaim, findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings; those of intrinsic errors get the number of the nearest piece of evidence."""
    if not any(one.type in INTRINSIC for one in findings):
        return list(findings)
    index, texts = NearestPiece(pieces(claim)), sentences(claim.explanation or "")
    return [
        replace(one, evidence_id=next(iter(index.to(texts[one.sentence])), None)) if one.type in INTRINSIC else one
        for one in findings
    ]
