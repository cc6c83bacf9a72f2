"""Words and clauses that are planted, in two lists that share no phrase and no four words in a row, but for the words
`true` and `false` of a verdict: models learn from one, the other measures checks.

Each was written without sight of the other and of the words that checks look for (`words/*.json`). Some of those they
have in common, as any list of words without exception must.
"""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from src.json_decoding import decode

FOLDER = Path(__file__).parent / "words"
NAMES = ("train", "test")


class WordLists(msgspec.Struct, frozen=True):
    """`modifiers` stand before a noun. `events` end a sentence, in place of its full stop. `narrow` gives for a word
    that limits a sentence some that do not; `before` and `behind` are put at its ends where there is no such word.
    `closings` state a verdict: `true` and `false` are the words for it. `opposites` go both ways.
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
