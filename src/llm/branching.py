"""Decoding of several answers to each of several prompts, one token a step, in one batch.

Answers that have ended leave the batch when half of it can go: each number of rows has products of another shape, for
which oneDNN generates code. The batch is a grid: prompts, and for each as many branches as the prompt with the most
open answers has. Where a prompt has fewer, one of its answers is computed twice.
"""

from collections.abc import Callable, Sequence
from itertools import count
from typing import NamedTuple

from src.llm.llama_layers import Branches, Llama
from src.llm.progress import answered
from src.llm.sampling import Sampler


class Answer(NamedTuple):
    """An answer that is to be written.

    `temperature`, `seed`: of the sampling; temperature 0 takes the likeliest token.
    `limit`: maximum number of tokens.
    `has_ended`: returns True if the tokens so far are the whole answer.
    """

    temperature: float
    seed: int
    limit: int
    has_ended: Callable[[Sequence[int]], bool]


def write(
    llama: Llama, prompts: Sequence[Sequence[int]], answers: Sequence[Sequence[Answer]], end: int
) -> list[list[int]]:
    """Return the tokens of each answer, in order, with the ending token `end` if there is one.

    `answers` has the answers to each prompt, at least one. The listener of `progress.py` is called after each token.
    """
    numbers = count()
    grid = [[next(numbers) for _ in own] for own in answers]
    flat = [answer for own in answers for answer in own]
    written: list[list[int]] = [[] for _ in flat]
    sampler = Sampler([one.temperature for one in flat], [one.seed for one in flat])
    width = max(map(len, grid))
    branches, scores = llama.read(prompts, width)
    rows = [row for own in grid for row in _filled(own, width)]
    scores = scores.repeat_interleave(width, 0)
    open_rows = set(range(len(flat)))
    while True:
        places = {row: place for place, row in enumerate(rows) if row in open_rows}
        tokens = sampler(scores[list(places.values())], list(places)).tolist()
        for row, token in zip(places, tokens, strict=True):
            written[row].append(token)
            if token == end or len(written[row]) >= flat[row].limit or flat[row].has_ended(written[row]):
                open_rows.remove(row)
        answered(len(places) - len(open_rows))
        if not open_rows:
            return written
        rows = _narrowed(branches, rows, open_rows)
        scores = llama.step(branches, [written[row][-1] for row in rows])


def _filled(own: Sequence[int], width: int) -> list[int]:
    """Return the rows of a prompt, the first one repeated until there are `width`."""
    return [*own, *[own[0]] * (width - len(own))]


def _narrowed(branches: Branches, rows: Sequence[int], open_rows: set[int]) -> list[int]:
    """Take prompts and branches without open answers out of the batch if half of its rows can go.

    Return the answer of each branch that is left.
    """
    cut = [rows[first : first + branches.width] for first in range(0, len(rows), branches.width)]
    grid = [dict.fromkeys(row for row in own if row in open_rows) for own in cut]
    width = max(map(len, grid))
    kept = [prompt for prompt, own in enumerate(grid) if own]
    if 2 * len(kept) * width > len(rows):
        return list(rows)
    left = [row for prompt in kept for row in _filled(list(grid[prompt]), width)]
    places = {row: place for place, row in enumerate(rows)}
    branches.keep(kept, [places[row] for row in left], width)
    return left
