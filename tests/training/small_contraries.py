"""Contrary claims about shops of small towns, for tests."""

from pathlib import Path

from src.store import encode_lines
from src.training.passages.contraries import Contraries
from tests.training.small_scenarios import TOWNS


def contraries(town: str) -> Contraries:
    return Contraries(
        kind="words",
        claim=f"The shop in {town} has closed.",
        contrary=f"The shop in {town} stays open.",
        claim_page=f"The only shop of {town} shut its doors for good in May.",
        contrary_page=f"The only shop of {town} served forty people this morning.",
        open_page=f"The only shop of {town} was built by two brothers in 1911.",
        divided_page=f"The only shop of {town} shut, says the mayor; it sells bread, says a baker.",
    )


def write_contraries(folder: Path) -> Path:
    """Write a file of contrary claims and return its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "shops.jsonl").write_bytes(encode_lines([contraries(town) for town in TOWNS]))
    return folder
