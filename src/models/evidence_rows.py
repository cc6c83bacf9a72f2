"""How our own classifiers read: the claim as first segment, question-answer pairs as second, each with its end mark.

    [CLS] claim [SEP] question answer [SEP] question answer [SEP] ...

One layout for both: the reranker reads one pair, the verdict model all of them. Where they do not fit, every pair is
cut to a fair share, so that all are seen: short pairs stay whole, and a cut pair loses its question first, since the
answer is the evidence.

A text that someone else has joined, as the published models read it, is one segment and cut at its end.

But: the first `MAX_PAIRS` pairs count, as in the metric; they are cut at word pieces, not at words.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from src.errors import InputError
from src.store import storable

LAYOUT = "claim_pairs"
CLAIM_ONLY = "claim_only"  # no evidence is read: a floor
PUBLISHED_TEXT = "published_text"  # one text, one segment: what the published models were trained on
LAYOUTS = (LAYOUT, CLAIM_ONLY, PUBLISHED_TEXT)
MAX_PAIRS = 10
CLAIM_SHARE = 1 / 3  # of the room, at most
CHARACTERS_A_TOKEN = 64  # a longer text is cut before it is tokenised; words of a language are far shorter


# A claim with its pairs of question and answer, or one text as the published models read it.
Input = tuple[str, Sequence[tuple[str, str]]] | str


class Row(NamedTuple):
    """Word pieces of one input, and the place where its second segment begins.

    The claim is the first segment, the second one with `claim_last`.
    """

    ids: list[int]
    second: int
    claim_last: bool = False

    @property
    def claim(self) -> slice:
        """The places of the segment with the claim."""
        return slice(self.second, None) if self.claim_last else slice(0, self.second)


class RowMaker:
    """Makes rows of at most `max_length` word pieces with the tokenizer of a model's folder."""

    def __init__(self, folder: Path, max_length: int) -> None:
        from tokenizers import Tokenizer

        path = folder / "tokenizer.json"
        if not path.is_file():
            raise InputError("no such file: a model with a fast tokenizer is needed", path=path)
        self._tokenizer = Tokenizer.from_file(str(path))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        marks = self._tokenizer.encode("").ids
        if len(marks) != 2:
            raise InputError("its tokenizer sets no marks at both ends of a text, as BERT's and MPNet's do", path=path)
        self._begin, self._end = marks
        self.max_length = max_length

    def rows(self, inputs: Sequence[Input]) -> list[Row]:
        texts = dict.fromkeys(text for found in inputs for text in _texts(found))
        pieces = dict(zip(texts, self._pieces(list(texts)), strict=True))
        return [
            self._one_segment(pieces[found])
            if isinstance(found, str)
            else self._row(pieces[found[0]], [(pieces[question], pieces[answer]) for question, answer in _pairs(found)])
            for found in inputs
        ]

    def whole_lengths(self, inputs: Sequence[Input]) -> list[int]:
        """Return how many word pieces each input has before it is cut."""
        texts = list(dict.fromkeys(text for found in inputs for text in _texts(found)))
        lengths = {text: len(ids) for text, ids in zip(texts, self._pieces(texts), strict=True)}
        return [sum(lengths[text] for text in _texts(found)) + 2 + _marks(found) for found in inputs]

    def offsets(self, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        """Of each text the characters that each of its word pieces stands for."""
        found = self._tokenizer.encode_batch([self._cut(text) for text in texts], add_special_tokens=False)
        return [one.offsets for one in found]

    def _pieces(self, texts: list[str]) -> list[list[int]]:
        cut = [self._cut(text) for text in texts]
        return [found.ids for found in self._tokenizer.encode_batch_fast(cut, add_special_tokens=False)]

    def _cut(self, text: str) -> str:
        return storable(text[: CHARACTERS_A_TOKEN * self.max_length])

    def _one_segment(self, text: list[int]) -> Row:
        ids = [self._begin, *text[: self.max_length - 2], self._end]
        return Row(ids, len(ids))

    def _row(self, claim: list[int], pairs: Sequence[tuple[list[int], list[int]]]) -> Row:
        room = self.max_length - 2 - len(pairs)
        first = [self._begin, *claim[: int(CLAIM_SHARE * room) if pairs else room], self._end]
        rest = room + 2 - len(first)
        second = []
        for (question, answer), share in zip(
            pairs, fair_shares([len(q) + len(a) for q, a in pairs], rest), strict=True
        ):
            asked = question[: max(0, share - len(answer))]
            second += [*asked, *answer[: share - len(asked)], self._end]
        return Row(first + second, len(first))


def _texts(found: Input) -> list[str]:
    return [found] if isinstance(found, str) else [found[0], *(text for pair in _pairs(found) for text in pair)]


def _marks(found: Input) -> int:
    """The end marks behind a claim's pairs."""
    return 0 if isinstance(found, str) else len(_pairs(found))


def _pairs(found: tuple[str, Sequence[tuple[str, str]]]) -> Sequence[tuple[str, str]]:
    return found[1][:MAX_PAIRS]


def fair_shares(wanted: Sequence[int], room: int) -> list[int]:
    """How much each gets of the room: what it wants, or as much as any other that wants more than its share."""
    shares = [0] * len(wanted)
    for served, place in enumerate(sorted(range(len(wanted)), key=wanted.__getitem__)):
        shares[place] = min(wanted[place], room // (len(wanted) - served))
        room -= shares[place]
    return shares
