"""Held-out claims of train with what was retrieved for them, which choices are made by."""

from pathlib import Path

from src.records import Claim
from src.runner.paths import existing_file
from src.store import read_claims
from src.training.retrieved import Pairs, read_retrieved
from src.training.split import split_claims


def held_out(averitec: Path) -> tuple[list[Claim], dict[int, Pairs]]:
    """Return the tenth of the claims that no training sees, and their retrieved pairs by claim_id. Raises
    InputError.
    """
    claims = read_claims(existing_file(averitec / "train.json", "the data of AVeriTeC"))
    retrieved = read_retrieved(averitec / "peers" / "eibakke_baseline_train1000.csv.gz", claims)
    return list(split_claims(claims, read_claims(averitec / "dev.json"), 1.0).held_out), retrieved
