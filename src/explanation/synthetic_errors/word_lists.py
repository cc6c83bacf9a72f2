"""Words and clauses for synthetic errors, in two lists: models learn from one, the other measures checks.

The lists share no phrase and no four words in a row, except for the words `true` and `false` of a verdict. Each was
written without knowledge of the other and of the words that checks look for (`words/*.json`). They share some of the
latter, as any list of general words must.
"""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from src.json_decoding import decode

FOLDER = Path(__file__).parent / "words"
NAMES = ("train", "test")


class WordLists(msgspec.Struct, frozen=True):
    """One list of words and clauses.

    `modifiers` are put before a noun. `events` end a sentence, in place of its full stop. `narrow` maps a limiting word
    to general ones; `before` and `behind` are added at the ends of sentences without such a word. `closings` state a
    verdict, with a word of `true` or `false`. `opposites` are used in both directions.
    """

    modifiers: tuple[str, ...]
    events: tuple[str, ...]
    narrow: Mapping[str, tuple[str, ...]]
    before: tuple[str, ...]
    behind: tuple[str, ...]
    closings: tuple[str, ...]
    true: tuple[str, ...]
    false: tuple[str, ...]
    opposites: tuple[tuple[str, str], ...]


def _read(name: str) -> WordLists:
    return decode((FOLDER / f"{name}.json").read_bytes(), WordLists)


LISTS = {name: _read(name) for name in NAMES}
TRAIN, TEST = LISTS["train"], LISTS["test"]
