"""An explanation as a language model wrote it: its sentences, and the pieces of evidence that each names.

Numbers in square brackets are taken out of the text. One that no piece has is dropped and counted; one of more digits
than the pieces' numbers, and than two, is text, such as a year. A sentence that names none rests on the piece whose
words are nearest to it, which is counted too. A text of more than the wanted words ends with the last whole sentence
that has room; without such a limit all sentences are kept.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from src.explanation.pieces import Piece, nearest_piece
from src.explanation.records import Explanation
from src.text import sentences

_ENDED = re.compile(r"[.!?][\"')\]\u201d]*$")
_HEADS = re.compile(r"^[*#\s]*explanation[*\s]*:[*\s]*", re.IGNORECASE | re.MULTILINE)


def is_ended(text: str) -> bool:
    """Whether it ends as a sentence does."""
    return bool(_ENDED.search(text))


def unmarked(text: str) -> str:
    """In one line, without citations of up to two digits."""
    return " ".join(_mark(0).sub("", text).split())


class Read(NamedTuple):
    """`counts`: how many numbers no piece has, how many sentences named none, how many did not fit whole."""

    explanation: Explanation
    counts: Mapping[str, int]


def read_draft(text: str, pieces: Sequence[Piece], most_words: int | None) -> Read:
    """Return an explanation without sentences where the text says nothing. `most_words` None: all are kept."""
    known = {piece.number for piece in pieces}
    mark = _mark(max(known, default=0))
    behind = rf"([.!?][\"')\u201d]*)((?:{mark.pattern})+)"
    told = sentences(re.sub(behind, lambda found: f"{found[2]}{found[1]}", " ".join(text.split())))
    parts = [part for part in told if mark.sub("", part).strip(" .")]
    kept = parts if most_words is None else _fitting(parts, most_words, mark)
    said, cites, unknown, unnamed = [], [], 0, 0
    for part in kept:
        named = dict.fromkeys(int(one) for found in mark.findall(part) for one in re.findall(r"\d+", found))
        sentence = mark.sub("", part).strip()
        unknown += len(named.keys() - known)
        rests_on = tuple(number for number in named if number in known)
        unnamed += not rests_on
        said.append(sentence)
        cites.append(rests_on or nearest_piece(sentence, pieces))
    cut = len(parts) - sum(map(str.__eq__, parts, kept))
    counts = {"cites_unknown": unknown, "sentences_without_cite": unnamed, "sentences_cut": cut}
    return Read(Explanation(tuple(said), tuple(cites)), counts)


def behind_reasoning(text: str) -> str | None:
    """What stands behind the last head `Explanation:`; None where there is no such head."""
    heads = list(_HEADS.finditer(text))
    return text[heads[-1].end() :] if heads else None


@cache
def _mark(largest: int) -> re.Pattern[str]:
    """A citation, where the pieces' numbers go up to `largest`."""
    number = rf"\d{{1,{max(2, len(str(largest)))}}}"
    return re.compile(rf"\s*\[\s*({number}(?:\s*[,;]\s*{number})*)\s*\]")


def _fitting(parts: Sequence[str], most_words: int, mark: re.Pattern[str]) -> list[str]:
    kept: list[str] = []
    left = most_words
    for part in parts:
        size = len(mark.sub("", part).split())
        if kept and size > left:
            break
        kept.append(part if size <= left else " ".join(part.split()[:left]))
        left -= size
    return kept
