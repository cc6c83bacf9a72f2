"""Ban of repeated n-grams in prompt and answer: an incremental version of transformers' NoRepeatNGramLogitsProcessor.

A table maps n - 1 tokens to the tokens that may not follow them. Each prompt has one table, built once, and each row
has one for its answer so far. A step looks up one entry in both tables of a row, and adds one entry to the second. When
beams are reordered, a row gets the tables of the row that it continues.

Limitations: all rows must grow by one token per step.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import LogitsProcessor

Table = dict[tuple[int, ...], tuple[int, ...]]  # what has followed these n - 1 tokens


class NgramBan:
    """Banned n-grams of a batch of rows that grow by one token per step.

    `prompts` has the token ids with which each row begins.
    """

    def __init__(self, prompts: Sequence[Sequence[int]], n: int) -> None:
        self._n = n
        tables: dict[tuple[int, ...], Table] = {}
        tails = [tuple(prompt) for prompt in prompts]
        for tail in tails:
            if tail not in tables:
                tables[tail] = _table(tail, n)
        self._before = [tables[tail] for tail in tails]
        self._since: list[Table] = [{} for _ in tails]
        self._last = [tail[len(tail) - n + 1 :] if len(tail) >= n - 1 else tail for tail in tails]

    def banned(self) -> tuple[list[int], list[int]]:
        """Return the banned next tokens as two lists of equal length: row indices (from 0) and token ids.

        A pair of row and token may occur twice.
        """
        rows: list[int] = []
        tokens: list[int] = []
        for row, last in enumerate(self._last):
            for table in (self._before[row], self._since[row]):
                followers = table.get(last, ())
                rows.extend([row] * len(followers))
                tokens.extend(followers)
        return rows, tokens

    def grow(self, parents: Sequence[int], tokens: Sequence[int]) -> None:
        """Extend the rows by one token: new row i is row `parents[i]` followed by `tokens[i]`."""
        uses = Counter(parents)
        keep = self._n - 1
        since, last = [], []
        for parent, token in zip(parents, tokens, strict=True):
            table, before = self._since[parent], self._last[parent]
            if uses[parent] > 1:
                table = dict(table)  # another row continues the same one
            if len(before) == keep:
                table[before] = (*table.get(before, ()), token)
            uses[parent] -= 1
            since.append(table)
            last.append((*before, token)[-keep:] if keep else ())
        self._before = [self._before[parent] for parent in parents]
        self._since, self._last = since, last


def _table(tokens: tuple[int, ...], n: int) -> Table:
    followers: dict[tuple[int, ...], list[int]] = {}
    for start in range(len(tokens) - n + 1):
        followers.setdefault(tokens[start : start + n - 1], []).append(tokens[start + n - 1])
    return {before: tuple(after) for before, after in followers.items()}


class BanRepeats(LogitsProcessor):
    """Logits processor that forbids repeated n-grams. Each prompt has `beams` adjacent rows."""

    def __init__(self, n: int, beams: int = 1) -> None:
        self._n, self._beams = n, beams
        self._ban: NgramBan | None = None
        self._start = 0
        self._answers = np.empty((0, 0), np.int64)

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        """Set the scores of banned tokens to minus infinity, in place: the tensor is large and belongs to this call."""
        if self._ban is None:
            self._ban, self._start = NgramBan(input_ids.tolist(), self._n), input_ids.shape[1]
            self._answers = np.empty((len(input_ids), 0), np.int64)
        else:
            answers = input_ids[:, self._start :].cpu().numpy()
            self._ban.grow(self._parents(answers), answers[:, -1].tolist())
            self._answers = answers
        rows, tokens = self._ban.banned()
        if rows:
            where = torch.tensor([rows, tokens], device=scores.device)
            where = where[:, where[1] < scores.shape[1]]
            scores[where[0], where[1]] = -torch.inf
        return scores

    def _parents(self, answers: NDArray[np.int64]) -> list[int]:
        """Return for each row the index of the row of the last step that it continues, found by comparing answers.

        If several rows of the last step had the same answer, any of them is right.
        """
        prompts = len(answers) // self._beams
        now = answers[:, :-1].reshape(prompts, self._beams, 1, -1)
        before = self._answers.reshape(prompts, 1, self._beams, now.shape[-1])
        rows = (now == before).all(-1).argmax(-1) + np.arange(prompts)[:, None] * self._beams
        parents: list[int] = rows.ravel().tolist()
        return parents
