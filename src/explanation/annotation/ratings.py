"""File of ratings, as JSON lines: the errors that annotators ticked; the last line of a rating counts.

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
    """An annotator's rating of one explanation.

    `errors` are the ticked types of each sentence, in order; `explanation` is the hash of the text that was shown.
    `seconds` is the time from showing to saving, including the ratings that this one replaces. `seat` is the
    annotator's place in a drawn study (`study_file.py`).
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
        """Return the number of ticked errors."""
        return sum(map(len, self.errors))

    @property
    def text(self) -> Text:
        return Text(self.explanation, len(self.errors))

    @property
    def item(self) -> Item:
        return self.method, self.claim_id


def read_ticked(data: bytes, path: Path, texts: Mapping[Item, Text]) -> list[Rating]:
    """Return the last rating of each annotator and item, in the order of their first ones.

    `texts` are the known texts of items.
    Raises: InputError with file, line and field if the file is invalid, or an item's text differs from the known or an
    earlier one.
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
