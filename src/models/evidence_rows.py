"""The input rows of our classifiers: the claim is the first segment, question-answer pairs are the second.

    [CLS] claim [SEP] question answer [SEP] question answer [SEP] ...

The layout is the same for all: the reranker reads one pair, the verdict model all pairs. If the pairs do not fit, each
is cut to a fair share. Short pairs stay whole. A cut pair loses its question first, because the answer is the evidence.

A single text, in the format of the published models, is one segment and is cut at its end.

Limitations: only the first `MAX_PAIRS` pairs count, as in the metric. Pairs are cut at word pieces, not at words.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from src.errors import InputError
from src.store import storable

LAYOUT = "claim_pairs"
CLAIM_ONLY = "claim_only"  # no evidence is read: a baseline
PUBLISHED_TEXT = "published_text"  # one text in one segment: the format of the published models
LAYOUTS = (LAYOUT, CLAIM_ONLY, PUBLISHED_TEXT)
MAX_PAIRS = 10
CLAIM_SHARE = 1 / 3  # the largest share of the room that the claim gets
CHARACTERS_A_TOKEN = 64  # a longer text is cut before it is tokenized; words of a language are far shorter


# A claim with its pairs of question and answer, or one text in the format of the published models.
Input = tuple[str, Sequence[tuple[str, str]]] | str


class Row(NamedTuple):
    """The word pieces of one input, and the index where its second segment begins.

    The claim is the first segment, or the second one if `claim_last` is True.
    """

    ids: list[int]
    second: int
    claim_last: bool = False

    @property
    def claim(self) -> slice:
        """Return the slice of the segment with the claim."""
        return slice(self.second, None) if self.claim_last else slice(0, self.second)


class RowMaker:
    """A maker of rows of at most `max_length` word pieces, with the tokenizer of a model's folder.

    Raises InputError when the folder has no fast tokenizer, or one without marks at both ends of a text.
    """

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
        """Return the start and end, in characters, of each word piece of each text."""
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
    """Return the number of end marks behind a claim's pairs."""
    return 0 if isinstance(found, str) else len(_pairs(found))


def _pairs(found: tuple[str, Sequence[tuple[str, str]]]) -> Sequence[tuple[str, str]]:
    return found[1][:MAX_PAIRS]


def fair_shares(wanted: Sequence[int], room: int) -> list[int]:
    """Return the share of the room for each item: what it wants, or an equal part of what is left.

    All items that want more than their share get the same, up to rounding.
    """
    shares = [0] * len(wanted)
    for served, place in enumerate(sorted(range(len(wanted)), key=wanted.__getitem__)):
        shares[place] = min(wanted[place], room // (len(wanted) - served))
        room -= shares[place]
    return shares
