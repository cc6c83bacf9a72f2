"""The input rows of encoder-decoders: a claim with all its passages, numbered, in one text.

    hypothesis: CLAIM sentence1: TITLE . PASSAGE sentence2: ...

This is the layout of LisT5 (Jiang et al. 2021; `experiments/list5` of castorini/pygaggle), which answers `true` or
`false`. If the text does not fit, each passage is cut to a fair share.

Limitations: only the first `MAX_PAIRS` passages count.
"""

from collections.abc import Sequence
from pathlib import Path

from src.errors import InputError
from src.models.evidence_rows import CHARACTERS_A_TOKEN, MAX_PAIRS, Input, Row, fair_shares
from src.store import storable

WORDS = ("true", "false")


class ListwiseRows:
    """A maker of rows of at most `max_length` word pieces, with the tokenizer of a model's folder.

    Raises InputError when the folder has no fast tokenizer, or one without a single end mark.
    """

    def __init__(self, folder: Path, max_length: int) -> None:
        from tokenizers import Tokenizer

        path = folder / "tokenizer.json"
        if not path.is_file():
            raise InputError("no such file: a model with a fast tokenizer is needed", path=path)
        self._tokenizer = Tokenizer.from_file(str(path))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._end = self._tokenizer.encode("").ids
        if len(self._end) != 1:
            raise InputError("its tokenizer sets no mark at the end of a text, as T5's does", path=path)
        self.max_length = max_length

    def rows(self, inputs: Sequence[Input]) -> list[Row]:
        return [self._row(self._parts(found)) for found in inputs]

    def whole_lengths(self, inputs: Sequence[Input]) -> list[int]:
        """Return how many word pieces each input has before it is cut."""
        return [sum(map(len, self._parts(found))) + 1 for found in inputs]

    def words(self) -> tuple[list[int], list[int]]:
        """Return the pieces of `true` and of `false`, each with its end mark.

        Raises InputError when both begin with the same piece: the first piece must distinguish them.
        """
        true, false = ([*ids, *self._end] for ids in self._pieces(WORDS))
        if true[0] == false[0]:
            raise InputError("its tokenizer begins true and false with the same piece; such a model is not read here")
        return true, false

    def _parts(self, found: Input) -> list[list[int]]:
        """Return the claim and its passages, in word pieces."""
        claim, passages = (found, ()) if isinstance(found, str) else found
        texts = [f"sentence{number}: {_titled(*one)}" for number, one in enumerate(passages[:MAX_PAIRS], start=1)]
        return self._pieces([f"hypothesis: {claim}", *texts])

    def _row(self, parts: list[list[int]]) -> Row:
        claim, *passages = parts
        claim = claim[: self.max_length - 1]
        shares = fair_shares([len(one) for one in passages], self.max_length - 1 - len(claim))
        cut = [piece for one, share in zip(passages, shares, strict=True) for piece in one[:share]]
        ids = [*claim, *cut, *self._end]
        return Row(ids, len(ids))

    def _pieces(self, texts: Sequence[str]) -> list[list[int]]:
        cut = [storable(text[: CHARACTERS_A_TOKEN * self.max_length]) for text in texts]
        return [found.ids for found in self._tokenizer.encode_batch_fast(cut, add_special_tokens=False)]


def _titled(title: str, text: str) -> str:
    return f"{title} . {text}" if title else text
