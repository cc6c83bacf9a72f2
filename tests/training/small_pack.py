"""A pack of a few sets, written to disk."""

import gzip
from collections.abc import Sequence
from pathlib import Path

import msgspec

from src.training.entailment.pack import SETS

LABELS = (("Supported", "entailment"), ("Refuted", "contradiction"), ("Not Enough Evidence", "neutral"))
ANIMALS = ("eel", "trout", "heron", "otter", "carp", "swan", "mink", "perch", "vole", "toad")


def rows_of(name: str, count: int = 90) -> list[dict[str, object]]:
    """Return rows of all three labels. Every tenth is a test row, and one shares its claim with a test row."""
    rows: list[dict[str, object]] = []
    for number in range(count):
        verdict, nli = LABELS[number % 3]
        animal = ANIMALS[number % len(ANIMALS)]
        rows.append(
            {
                "set": name,
                "id": f"{name}-{number}",
                "claim": f"In {name} the {animal} number {number} swims across the river Ansel.",
                "evidence": [f"The {animal} of pond {number} was seen by {name}.", f"It swam {number} times."],
                "verdict": verdict,
                "nli": nli,
                "split": "test" if number % 10 == 9 else "train",
                **({"in_test_of": ["other"]} if number == 1 else {}),
            }
        )
    rows.append(rows[0] | {"id": "null", "verdict": None, "nli": "not_entailment", "claim": "Not in two labels."})
    return rows


def write_pack(folder: Path) -> Path:
    """Write every set of the pack that models learn from, and return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in SETS:
        write_set(folder, name, rows_of(name))
    return folder


def write_set(folder: Path, name: str, rows: Sequence[dict[str, object]]) -> None:
    """Write the file of one set; an existing file is replaced."""
    lines = b"\n".join(map(msgspec.json.encode, rows))
    (folder / f"{name}.jsonl.gz").write_bytes(gzip.compress(lines, mtime=0))
