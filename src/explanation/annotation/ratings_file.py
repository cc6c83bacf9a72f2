"""File of ratings of a running study."""

from collections.abc import Mapping
from pathlib import Path

from src.annotating.answers_file import AnswersFile
from src.explanation.annotation.ratings import Rating, read_ticked
from src.explanation.annotation.shown import Text
from src.explanation.records import Item


class RatingsFile(AnswersFile[Rating]):
    """File of ratings; `texts` are the texts that ratings of the items must be of.

    Raises: InputError as `read_ticked` does.
    """

    def __init__(self, path: Path, texts: Mapping[Item, Text]) -> None:
        super().__init__(path, lambda data: read_ticked(data, path, texts))
