"""Records of what annotators see of an explanation, and the file of their ratings.

Annotators see the sentences, the claim, the verdict and the numbered evidence, but not the method. The file has JSON
lines with the errors that annotators ticked. If an annotator rated an explanation several times, the last line counts:

{"annotator": "ann", "claim_id": 4, "method": "madr", "explanation": "9f86d081884c7d65", "errors": [["EE"], []],
"seconds": 41.5}
"""

import hashlib
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from src.annotating.annotator import Seconds
from src.annotating.answers_file import AnswersFile
from src.errors import InputError
from src.explanation.pieces import Piece, pieces
from src.explanation.records import ExplainedClaim, Item
from src.explanation.typology import ErrorType
from src.records import ClaimId, NonBlank
from src.store import located
from src.text import sentences


class Sentence(msgspec.Struct, frozen=True):
    """A sentence of an explanation; `cites` are the numbers, from 1, of the pieces of evidence that it cites."""

    text: str
    cites: list[int]


class Shown(msgspec.Struct, frozen=True, dict=True):
    """An explanation as annotators see it, without the name of its method.

    `verdict`: label of the claim, as in the file of explanations.
    `sentences`: sentences of the explanation.
    `evidence`: numbered pieces of evidence of the claim.
    """

    claim_id: ClaimId
    claim: str
    verdict: str
    claim_date: str
    speaker: str
    sentences: list[Sentence]
    evidence: list[Piece]

    @cached_property
    def text(self) -> "Text":
        return Text(hashlib.sha256(msgspec.json.encode(self)).hexdigest()[:16], len(self.sentences))


class Text(NamedTuple):
    """Identity of an explanation: a hash of everything that annotators see of it, and its number of sentences."""

    hash: str
    sentences: int


def shown(claim: ExplainedClaim) -> Shown:
    """Return the claim's explanation as annotators see it; citations of unknown pieces of evidence are left out."""
    evidence = pieces(claim)
    texts = sentences(claim.explanation or "")
    known = {piece.number for piece in evidence}
    cites = [[number for number in numbers if number in known] for numbers in (*claim.cites, *([[]] * len(texts)))]
    parts = [Sentence(text, numbers) for text, numbers in zip(texts, cites, strict=False)]
    return Shown(claim.claim_id, claim.claim, claim.label, claim.claim_date, claim.speaker, parts, evidence)


class Rating(msgspec.Struct, frozen=True):
    """An annotator's rating of one explanation.

    `explanation`: hash of everything that the annotator saw (`Text`).
    `errors`: for each sentence, in order, the types of errors that the annotator ticked.
    `seconds`: time from showing to saving, summed over all ratings of this explanation by the annotator.
    `seat`: index (from 0) of the annotator's seat, the set of claims that the annotator rates in a drawn study
        (`study.py`); unset in other studies.
    """

    annotator: NonBlank
    claim_id: ClaimId
    method: str
    explanation: str
    errors: list[list[ErrorType]]
    seconds: Seconds = 0.0
    seat: int | UnsetType = UNSET

    @property
    def key(self) -> tuple[str, Item]:
        return self.annotator, self.item

    @property
    def ticked(self) -> int:
        """Return the number of errors that the annotator ticked, over all sentences."""
        return sum(map(len, self.errors))

    @property
    def text(self) -> Text:
        return Text(self.explanation, len(self.errors))

    @property
    def item(self) -> Item:
        return self.method, self.claim_id


def read_ticked(data: bytes, path: Path, texts: Mapping[Item, Text]) -> list[Rating]:
    """Return the last rating of each annotator and item (method and claim_id), ordered by their first ratings.

    `data` are the bytes of the file. `texts` has the current text of each item, to which its ratings must refer.
    Raises InputError with file, line and field if the file is invalid. It is also raised if a rating is of another text
    than the item has now, or had in an earlier rating.
    """
    known = dict(texts)
    latest: dict[tuple[str, Item], Rating] = {}
    for line, one in located(data, Rating, path):
        if known.setdefault(one.item, one.text) != one.text:
            which = f"claim {one.claim_id} of {one.method}"
            problem = f"{which} was another text, or has other evidence, when {one.annotator} rated it"
            message = f"{problem}; rate into another file, or remove such lines"
            raise InputError(message, path=path, line=line, field="explanation")
        latest[one.annotator, one.item] = one
    return list(latest.values())


class RatingsFile(AnswersFile[Rating]):
    """File of ratings; each rating must refer to the text that `texts` has for its item (method and claim_id).

    Raises InputError if the file is invalid, or a rating refers to another text.
    """

    def __init__(self, path: Path, texts: Mapping[Item, Text]) -> None:
        super().__init__(path, lambda data: read_ticked(data, path, texts))
