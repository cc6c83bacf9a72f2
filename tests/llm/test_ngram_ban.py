"""The banned tokens are those of transformers' own processor, also when beams are reordered."""

import random

import pytest
import torch
from transformers import NoRepeatNGramLogitsProcessor

from src.llm.ngram_ban import BanRepeats, NgramBan

VOCABULARY = 12  # few tokens, so that n-grams come again


def banned(scores: torch.Tensor) -> torch.Tensor:
    return torch.isinf(scores)


@pytest.mark.parametrize(("n", "beams", "prompts"), [(2, 2, 5), (2, 1, 9), (1, 3, 2), (3, 4, 3), (4, 2, 4)])
def test_bans_what_the_library_bans(n: int, beams: int, prompts: int) -> None:
    """Compares 200 states per case; the beams of each prompt are reordered at every step."""
    draw = torch.Generator().manual_seed(n)
    library = NoRepeatNGramLogitsProcessor(n)
    for _ in range(10):
        ids = torch.randint(VOCABULARY, (prompts, 15), generator=draw).repeat_interleave(beams, 0)
        ours = BanRepeats(n, beams)
        for _ in range(20):
            free = torch.zeros(len(ids), VOCABULARY)
            assert torch.equal(banned(ours(ids, free.clone())), banned(library(ids, free)))
            parents = (
                torch.randint(beams, (prompts, beams), generator=draw) + torch.arange(prompts).unsqueeze(1) * beams
            )
            tokens = torch.randint(VOCABULARY, (len(ids), 1), generator=draw)
            ids = torch.cat([ids[parents.flatten()], tokens], 1)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_rows_take_their_tables_along(n: int) -> None:
    """The parents of the rows are given; rows may also be dropped."""
    draw, library = random.Random(n), NoRepeatNGramLogitsProcessor(n)
    rows = [[draw.randrange(VOCABULARY) for _ in range(length)] for length in (1, 2, 9, 30, 30)]
    ban = NgramBan(rows, n)
    for step in range(40):
        expected = [banned(library(torch.tensor([row]), torch.zeros(1, VOCABULARY)))[0] for row in rows]
        ours = torch.zeros(len(rows), VOCABULARY, dtype=torch.bool)
        ours[ban.banned()] = True
        assert torch.equal(ours, torch.stack(expected))
        parents = [draw.randrange(len(rows)) for _ in range(5 if step < 20 else 3)]
        tokens = [draw.randrange(VOCABULARY) for _ in parents]
        rows = [[*rows[parent], token] for parent, token in zip(parents, tokens, strict=True)]
        ban.grow(parents, tokens)


def test_tokens_beyond_the_vocabulary_are_no_error() -> None:
    ids = torch.tensor([[7, 99, 7]])
    assert not banned(BanRepeats(2)(ids, torch.zeros(1, 10))).any()
