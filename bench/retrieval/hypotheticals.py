"""Hypothetical fact-checks of the claims by the bundled language model, written once to a file under out/bench/.

    python -m bench.retrieval.hypotheticals [--split dev] [--claims 500]

They are those that `bm25_sentences --retriever hybrid --hyde` would ask for. `python -m bench.retrieval --hyde` reads
them, and looks at the claims that have one.
"""

import argparse
from collections.abc import Mapping
from pathlib import Path

import msgspec

from bench.retrieval.corpus import read_split
from src.atomic_file import write_whole
from src.llm import get_llm
from src.reranking.hybrid.hyde import write_hypotheticals
from src.store import encode_lines, read_records

_FOLDER = Path(__file__).resolve().parents[2] / "out" / "bench"
_BATCH = 16


class Written(msgspec.Struct, frozen=True):
    """What the model wrote on a claim; "" where it wrote nothing."""

    claim_id: int
    text: str


def read_hypotheticals(split: str) -> Mapping[int, str]:
    """By claim. Raises InputError when they have not been written."""
    return {one.claim_id: one.text for one in read_records(_path(split), Written)}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.retrieval.hypotheticals")
    parser.add_argument("--split", choices=("dev", "train"), default="dev")
    parser.add_argument("--claims", type=int, default=500, help="the first so many of the split")
    args = parser.parse_args()
    model, written = get_llm("smollm2"), list[Written]()
    selected = read_split(args.split).claims[: args.claims]
    for first in range(0, len(selected), _BATCH):
        claims = selected[first : first + _BATCH]
        texts = write_hypotheticals(model, claims)
        written += [Written(claim.claim_id, one.text) for claim, one in zip(claims, texts, strict=True)]
        write_whole(_path(args.split), encode_lines(written))


def _path(split: str) -> Path:
    return _FOLDER / f"hypotheticals_{split}.jsonl"


if __name__ == "__main__":
    main()
