"""Milliseconds a step of the ban on repeated bigrams alone, ours and the pinned library's: the same state for both.

Limitations: beams are reordered at random, as a search would; nothing is generated.
"""

import argparse
import time
from statistics import median

from bench.turns import Rows, speeds

TOKENS, STEPS, VOCABULARY, KINDS = 1_300, 20, 250_880, 2_000  # the published prompt and vocabulary; tokens that occur
ROWS = (2, 64)


def ban(args: argparse.Namespace) -> Rows:
    """Return the speeds in steps a second; the notes have milliseconds."""
    result: Rows = {}
    for rows in ROWS:
        ours, reference = zip(*(_turn(rows) for _ in range(args.turns)), strict=True)
        notes: dict[str, float | str] = {
            "ms": round(1000 / median(ours), 3),
            "ms_library": round(1000 / median(reference), 3),
        }
        result[f"ban, {rows} rows"] = speeds("steps/s", ours, reference, notes)
    return result


def _turn(rows: int) -> tuple[float, float]:
    """Steps a second, medians of the steps after a first one, which makes our tables; both must ban the same."""
    import torch
    from transformers import NoRepeatNGramLogitsProcessor

    from src.llm.ngram_ban import BanRepeats

    draw = torch.Generator().manual_seed(rows)
    ids = torch.randint(KINDS, (rows // 2, TOKENS), generator=draw).repeat_interleave(2, 0)
    ours, library = BanRepeats(2, 2), NoRepeatNGramLogitsProcessor(2)
    spent: tuple[list[float], list[float]] = ([], [])
    scores = torch.zeros(rows, VOCABULARY)
    ours(ids, scores.clone())
    for _ in range(STEPS):
        parents = torch.randint(2, (rows // 2, 2), generator=draw) + torch.arange(rows // 2).unsqueeze(1) * 2
        ids = torch.cat([ids[parents.flatten()], torch.randint(KINDS, (rows, 1), generator=draw)], 1)
        own, began = scores.clone(), time.perf_counter()
        mine = ours(ids, own)
        spent[0].append(time.perf_counter() - began)
        began = time.perf_counter()
        theirs = library(ids, scores)
        spent[1].append(time.perf_counter() - began)
        assert torch.equal(mine, theirs), "other tokens are banned"
    return 1 / median(spent[0]), 1 / median(spent[1])
