"""The four sets of claims, and where their knowledge stores are."""

from collections.abc import Iterator
from pathlib import Path

from bench.check.gold_stores import measured_claims, write_gold_stores
from bench.scoreboard.published import AVERITEC
from src.errors import InputError
from src.records import Claim
from src.store import read_claims

SETS = {
    "sample": (Path("data_store/sample/claims.json"), Path("data_store/sample/knowledge_store")),
    "everyday": (Path("data_store/everyday/claims.json"), Path("data_store/everyday/knowledge_store")),
    "dev": (AVERITEC / "dev.json", AVERITEC / "knowledge_store/dev"),
}
HELD_OUT = "held_out"  # claims of AVeriTeC's train, with stores that are made for them


def chosen(name: str, first: int, last: int, folder: Path) -> tuple[list[Claim], Path]:
    """Return claims `first` to before `last` of a set and the folder of their stores; stores are made in `folder`.

    Raises InputError.
    """
    if name == HELD_OUT:
        train, dev = read_claims(AVERITEC / "train.json"), read_claims(AVERITEC / "dev.json")
        claims, store = measured_claims(train, dev)[first:last], folder
        write_gold_stores(folder, claims, train)
    else:
        path, store = SETS[name]
        claims = [one for one in read_claims(path) if one.label is not None and first <= one.claim_id < last]
    if not claims:
        raise InputError(f"--claims {first}-{last}: no claim of {name} with a label")
    return claims, store


def files_of(name: str) -> Iterator[Path]:
    """Yield the files that the claims of a set are read from."""
    yield from (AVERITEC / "train.json", AVERITEC / "dev.json") if name == HELD_OUT else (SETS[name][0],)
