"""Text of an explanation: sentences, citation marks, copied sentences, and the parser of a model's draft.

Numbers in square brackets are citations and are removed from the text. A citation of an unknown piece of evidence is
dropped and counted. A number with more than two digits, and with more digits than any piece's number, is text, such as
a year. A sentence without a citation cites the piece that shares most words with it, and is counted. A text that is
longer than `most_words` ends with the last whole sentence that fits; a first sentence that is longer is cut. Without a
limit all sentences are kept.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import zip_longest
from typing import NamedTuple

import msgspec

from src.explanation.pieces import Piece, nearest_piece
from src.explanation.records import ExplainedClaim, Explanation
from src.text import sentences

_ENDED = re.compile(r"[.!?][\"')\]\u201d]*$")
_HEADS = re.compile(r"^[*#\s]*explanation[*\s]*:[*\s]*", re.IGNORECASE | re.MULTILINE)


def is_ended(text: str) -> bool:
    """Return True if the text ends with a full stop, question mark or exclamation mark; quotes and brackets may
    follow.
    """
    return bool(_ENDED.search(text))


def unmarked(text: str) -> str:
    """Return the text in one line, without citation marks of up to two digits."""
    return " ".join(_mark(0).sub("", text).split())


class Read(NamedTuple):
    """A parsed draft.

    `explanation`: its sentences with their citations.
    `counts`: number of citations of unknown pieces (`cites_unknown`), of sentences without a citation
        (`sentences_without_cite`), and of sentences that were cut or left out (`sentences_cut`).
    """

    explanation: Explanation
    counts: Mapping[str, int]


def read_draft(text: str, pieces: Sequence[Piece], most_words: int | None) -> Read:
    """Return the parsed draft of a model; its explanation has no sentences if the text has no words.

    `most_words` is the limit of the explanation in words; None: no limit.
    """
    known = {piece.number for piece in pieces}
    mark = _mark(max(known, default=0))
    behind = rf"([.!?][\"')\u201d]*)((?:{mark.pattern})+)"
    split = sentences(re.sub(behind, lambda match: f"{match[2]}{match[1]}", " ".join(text.split())))
    parts = [part for part in split if mark.sub("", part).strip(" .")]
    fitting = parts if most_words is None else _fitting(parts, most_words, mark)
    texts, cites, unknown, unnamed = [], [], 0, 0
    for part in fitting:
        named = dict.fromkeys(int(one) for group in mark.findall(part) for one in re.findall(r"\d+", group))
        sentence = mark.sub("", part).strip()
        unknown += len(named.keys() - known)
        rests_on = tuple(number for number in named if number in known)
        unnamed += not rests_on
        texts.append(sentence)
        cites.append(rests_on or nearest_piece(sentence, pieces))
    cut = len(parts) - sum(map(str.__eq__, parts, fitting))
    counts = {"cites_unknown": unknown, "sentences_without_cite": unnamed, "sentences_cut": cut}
    return Read(Explanation(tuple(texts), tuple(cites)), counts)


def behind_reasoning(text: str) -> str | None:
    """Return what a model wrote after the last heading `Explanation:`; None if there is no such heading."""
    heads = list(_HEADS.finditer(text))
    return text[heads[-1].end() :] if heads else None


@cache
def _mark(largest: int) -> re.Pattern[str]:
    """Return the pattern of citation marks; `largest` is the largest number of a piece of evidence."""
    number = rf"\d{{1,{max(2, len(str(largest)))}}}"
    return re.compile(rf"\s*\[\s*({number}(?:\s*[,;]\s*{number})*)\s*\]")


def _fitting(parts: Sequence[str], most_words: int, mark: re.Pattern[str]) -> list[str]:
    fitting: list[str] = []
    left = most_words
    for part in parts:
        size = len(mark.sub("", part).split())
        if fitting and size > left:
            break
        fitting.append(part if size <= left else " ".join(part.split()[:left]))
        left -= size
    return fitting


def explained(claim: ExplainedClaim, explanation: Explanation) -> ExplainedClaim:
    """Return the claim with the explanation, whose text is split into sentences again.

    The new sentences may differ from those of `explanation`; each cites the pieces of evidence of all old sentences
    that it has a part of.
    """
    ends, at = [], 0
    for part in explanation.sentences:
        at += len("".join(part.split()))
        ends.append(at)
    cites, at = [], 0
    for sentence in sentences(explanation.text):
        first = next((place for place, end in enumerate(ends) if at < end), len(ends) - 1)
        at += len("".join(sentence.split()))
        last = next((place for place, end in enumerate(ends) if at <= end), len(ends) - 1)
        cites.append(list(dict.fromkeys(number for part in explanation.cites[first : last + 1] for number in part)))
    return msgspec.structs.replace(claim, explanation=explanation.text, cites=cites)


_PAIRS = (("\u201c", "\u201d"), ("(", ")"), ("[", "]"))
_LAST = re.compile(r"[ .!?;:,]+([\"')\]\u201d]*)$")


def ended(text: str) -> str:
    """Return the text with a capital letter and a full stop, without an unpaired quotation mark or bracket at its
    beginning or end.
    """
    for opening, closing in _PAIRS:
        if text.count(opening) != text.count(closing):
            text = text.removeprefix(opening).removesuffix(closing)
    text = f"{text[:1].upper()}{text[1:]}"
    return text if is_ended(text) else f"{without_end(text)}."


def without_end(text: str) -> str:
    """Return the text without its closing punctuation; a closing quotation mark or bracket is kept."""
    return _LAST.sub(r"\1", text)


def marked(claim: ExplainedClaim) -> str:
    """Return the claim's explanation with citation marks: `Eels swim. [2]`."""
    parts = zip_longest(sentences(claim.explanation or "(none)"), claim.cites, fillvalue=None)
    return " ".join(f"{part or ''}{''.join(f' [{number}]' for number in cites or ())}" for part, cites in parts)


AS_READ = "as a small model reads it"
_HEDGE = re.compile(rf"; {AS_READ}, .*$", re.DOTALL)


def without_hedge(sentence: str) -> str:
    """Return the sentence without the suffix `; as a small model reads it, …`, which a full stop replaces."""
    return _HEDGE.sub(".", sentence)
