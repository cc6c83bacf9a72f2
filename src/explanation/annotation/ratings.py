"""The file of ratings, JSON lines: what annotators ticked in explanations, the last line of the same rating counts.

{"annotator": "ann", "claim_id": 4, "method": "madr", "explanation": "9f86d081884c7d65", "errors": [["EE"], []],
 "seconds": 41.5}
"""

from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import UNSET, UnsetType

from src.annotating.seconds import Seconds
from src.errors import InputError
from src.explanation.annotation.shown import Text
from src.explanation.records import Item
from src.explanation.typology import ErrorType
from src.records import ClaimId, Said
from src.store import located


class Rating(msgspec.Struct, frozen=True):
    """`errors` are the types ticked in each sentence, in order; `explanation` is the hash of what was shown.

    `seconds` says how long it was shown until it was saved, those of the ratings that this one replaces included.
    `seat` is the annotator's place in a study that was drawn (`study_file.py`).
    """

    annotator: Said
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
        """How many errors in all."""
        return sum(map(len, self.errors))

    @property
    def text(self) -> Text:
        return Text(self.explanation, len(self.errors))

    @property
    def item(self) -> Item:
        return self.method, self.claim_id


def read_ticked(data: bytes, path: Path, texts: Mapping[Item, Text]) -> list[Rating]:
    """The last rating of each annotator and item, in the order of the first ones; `texts` of items may be known.

    Raises InputError (file, line, field), also where an item's text is another one here, or earlier in the file.
    """
    known = dict(texts)
    found: dict[tuple[str, Item], Rating] = {}
    for line, one in located(data, Rating, path):
        if known.setdefault(one.item, one.text) != one.text:
            said = f"claim {one.claim_id} of {one.method} was another text, or has other evidence, when {one.annotator}"
            message = f"{said} rated it; rate into another file, or remove such lines"
            raise InputError(message, path=path, line=line, field="explanation")
        found[one.annotator, one.item] = one
    return list(found.values())
