"""Words and clauses for synthetic errors, in two lists: `train` to train models, `test` to measure checks.

The lists share no phrase and no four words in a row, except for the words `true` and `false` of a verdict. Each was
written without knowledge of the other list and of the words that checks look for (`words/*.json`). Some words that
checks look for are in both, as in any list of general words.
"""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from src.json_decoding import decode

FOLDER = Path(__file__).parent / "words"
NAMES = ("train", "test")


class WordLists(msgspec.Struct, frozen=True):
    """Words and clauses with which errors are planted; there is one such record for training and one for tests.

    `modifiers`: adjectives that are put before a noun.
    `events`: clauses that end a sentence, in place of its full stop.
    `narrow`: limiting word -> general words that replace it.
    `before`, `behind`: added at the beginning or end of a sentence, to make it hold everywhere.
    `closings`: sentences that state a verdict, with a place for a word of `true` or `false`.
    `true`, `false`: words for these verdicts.
    `opposites`: pairs of words with opposite meaning, used in both directions.
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
