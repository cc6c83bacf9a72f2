"""Input rows of the classifiers, as token ids: a claim with its question-answer pairs, or with its passages.

    [CLS] claim [SEP] question answer [SEP] question answer [SEP] ...          RowMaker
    hypothesis: CLAIM sentence1: TITLE . PASSAGE sentence2: ...                ListwiseRows

Encoders read the first layout: the claim is the first segment, the pairs are the second. The reranker reads one pair,
the verdict model all pairs. If the pairs do not fit, each is cut to a fair share. Short pairs stay whole. A cut pair
loses its question first, because the answer is the evidence. A single text, in the format of the published models, is
one segment and is cut at its end.

Encoder-decoders read the second layout. It is that of LisT5 (Jiang et al. 2021; `experiments/list5` of
castorini/pygaggle), which answers `true` or `false`.

Limitations: only the first `MAX_PAIRS` pairs count, as in the metric. Pairs are cut between tokens, not between words.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from src.errors import InputError
from src.store import storable

if TYPE_CHECKING:
    from tokenizers import Tokenizer

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
    """Token ids of one input.

    `ids`: the token ids, with the special tokens.
    `second`: index in `ids` where the second segment begins.
    `claim_last`: the claim is the second segment, not the first.
    """

    ids: list[int]
    second: int
    claim_last: bool = False

    @property
    def claim(self) -> slice:
        """Return the slice of `ids` that is the segment with the claim."""
        return slice(self.second, None) if self.claim_last else slice(0, self.second)


def _tokenizer(path: Path) -> "Tokenizer":
    """Return the fast tokenizer of a file, without truncation and padding. Raises InputError when there is no file."""
    from tokenizers import Tokenizer

    if not path.is_file():
        raise InputError("no such file: a model with a fast tokenizer is needed", path=path)
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


class RowMaker:
    """Builder of rows of at most `max_length` tokens in the encoders' layout, with the tokenizer of a model's folder.

    Raises InputError when the folder has no fast tokenizer, or one without a special token at both ends of a text.
    """

    def __init__(self, folder: Path, max_length: int) -> None:
        path = folder / "tokenizer.json"
        self._tokenizer = _tokenizer(path)
        marks = self._tokenizer.encode("").ids
        if len(marks) != 2:
            raise InputError("its tokenizer sets no marks at both ends of a text, as BERT's and MPNet's do", path=path)
        self._begin, self._end = marks
        self.max_length = max_length

    def rows(self, inputs: Sequence[Input]) -> list[Row]:
        texts = dict.fromkeys(text for item in inputs for text in _texts(item))
        pieces = dict(zip(texts, self._pieces(list(texts)), strict=True))
        return [
            self._one_segment(pieces[item])
            if isinstance(item, str)
            else self._row(pieces[item[0]], [(pieces[question], pieces[answer]) for question, answer in _pairs(item)])
            for item in inputs
        ]

    def whole_lengths(self, inputs: Sequence[Input]) -> list[int]:
        """Return the number of tokens of each input before it is cut to `max_length`."""
        texts = list(dict.fromkeys(text for item in inputs for text in _texts(item)))
        lengths = {text: len(ids) for text, ids in zip(texts, self._pieces(texts), strict=True)}
        return [sum(lengths[text] for text in _texts(item)) + 2 + _marks(item) for item in inputs]

    def offsets(self, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        """Return the start and end, in characters, of each token of each text."""
        encodings = self._tokenizer.encode_batch([self._cut(text) for text in texts], add_special_tokens=False)
        return [encoding.offsets for encoding in encodings]

    def _pieces(self, texts: list[str]) -> list[list[int]]:
        cut = [self._cut(text) for text in texts]
        return [encoding.ids for encoding in self._tokenizer.encode_batch_fast(cut, add_special_tokens=False)]

    def _cut(self, text: str) -> str:
        return storable(text[: CHARACTERS_A_TOKEN * self.max_length])

    def _one_segment(self, text: list[int]) -> Row:
        ids = [self._begin, *text[: self.max_length - 2], self._end]
        return Row(ids, len(ids))

    def _row(self, claim: list[int], pairs: Sequence[tuple[list[int], list[int]]]) -> Row:
        room = self.max_length - 2 - len(pairs)
        first = [self._begin, *claim[: int(CLAIM_SHARE * room) if pairs else room], self._end]
        left = room + 2 - len(first)
        second = []
        for (question, answer), share in zip(
            pairs, fair_shares([len(q) + len(a) for q, a in pairs], left), strict=True
        ):
            cut_question = question[: max(0, share - len(answer))]
            second += [*cut_question, *answer[: share - len(cut_question)], self._end]
        return Row(first + second, len(first))


def _texts(item: Input) -> list[str]:
    return [item] if isinstance(item, str) else [item[0], *(text for pair in _pairs(item) for text in pair)]


def _marks(item: Input) -> int:
    """Return the number of separator tokens after an input's question-answer pairs: one per pair."""
    return 0 if isinstance(item, str) else len(_pairs(item))


def _pairs(item: tuple[str, Sequence[tuple[str, str]]]) -> Sequence[tuple[str, str]]:
    return item[1][:MAX_PAIRS]


def fair_shares(wanted: Sequence[int], room: int) -> list[int]:
    """Divide `room` tokens among items of the lengths `wanted`; return the tokens of each item.

    Short items stay whole. All items that are cut get the same number of tokens, up to rounding.
    """
    shares = [0] * len(wanted)
    for served, index in enumerate(sorted(range(len(wanted)), key=wanted.__getitem__)):
        shares[index] = min(wanted[index], room // (len(wanted) - served))
        room -= shares[index]
    return shares


WORDS = ("true", "false")


class ListwiseRows:
    """Builder of rows of at most `max_length` tokens in the layout of LisT5, with the tokenizer of a model's folder.

    Raises InputError when the folder has no fast tokenizer, or one that does not add exactly one end-of-sequence token.
    """

    def __init__(self, folder: Path, max_length: int) -> None:
        path = folder / "tokenizer.json"
        self._tokenizer = _tokenizer(path)
        self._end = self._tokenizer.encode("").ids
        if len(self._end) != 1:
            raise InputError("its tokenizer sets no mark at the end of a text, as T5's does", path=path)
        self.max_length = max_length

    def rows(self, inputs: Sequence[Input]) -> list[Row]:
        return [self._row(self._parts(item)) for item in inputs]

    def whole_lengths(self, inputs: Sequence[Input]) -> list[int]:
        """Return the number of tokens of each input before it is cut to `max_length`."""
        return [sum(map(len, self._parts(item))) + 1 for item in inputs]

    def words(self) -> tuple[list[int], list[int]]:
        """Return the token ids of `true` and of `false`, each followed by the end-of-sequence token.

        Raises InputError when both begin with the same token: the first token must distinguish them.
        """
        true, false = ([*ids, *self._end] for ids in self._pieces(WORDS))
        if true[0] == false[0]:
            raise InputError("its tokenizer begins true and false with the same piece; such a model is not read here")
        return true, false

    def _parts(self, item: Input) -> list[list[int]]:
        """Return the token ids of the claim, then those of each passage."""
        claim, passages = (item, ()) if isinstance(item, str) else item
        texts = [f"sentence{number}: {_titled(*one)}" for number, one in enumerate(passages[:MAX_PAIRS], start=1)]
        return self._pieces([f"hypothesis: {claim}", *texts])

    def _row(self, parts: list[list[int]]) -> Row:
        claim, *passages = parts
        claim = claim[: self.max_length - 1]
        shares = fair_shares([len(passage) for passage in passages], self.max_length - 1 - len(claim))
        cut = [piece for passage, share in zip(passages, shares, strict=True) for piece in passage[:share]]
        ids = [*claim, *cut, *self._end]
        return Row(ids, len(ids))

    def _pieces(self, texts: Sequence[str]) -> list[list[int]]:
        cut = [storable(text[: CHARACTERS_A_TOKEN * self.max_length]) for text in texts]
        return [encoding.ids for encoding in self._tokenizer.encode_batch_fast(cut, add_special_tokens=False)]


def _titled(title: str, text: str) -> str:
    return f"{title} . {text}" if title else text
