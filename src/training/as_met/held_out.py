"""The claims that the stacker and its thresholds are fitted on."""

from pathlib import Path

from src.models.encoder import load_encoder
from src.stance.reader import StanceReader
from src.store import read_claims
from src.training.as_met.averitec import averitec_claims, retrieved_claims
from src.training.as_met.checked import checked_claims
from src.training.as_met.contrast import contrast_claims
from src.training.as_met.pack import pack_claims
from src.training.as_met.records import MetClaim, drawn
from src.training.recipe import ClaimFiles
from src.training.retrieved import read_retrieved
from src.training.split import is_measured, split_claims


def held_out_claims(
    files: ClaimFiles,
    retrieved: Path | None,
    pack: Path | None,
    scenarios: Path | None,
    reader: StanceReader,
    seed: int,
    most: int | None = None,
) -> list[MetClaim]:
    """Return held-out claims of each kind. Of AVeriTeC's held-out claims, two thirds are used.

    If a kind has more than `most` claims, `most` are drawn (None: all). `reader` chooses the passages of scenarios, as
    in a check. Raises InputError when a file is invalid, ModelError when a model fails, StoreError when the temporary
    store of scenarios cannot be read.
    """
    everyone = read_claims(files.train)
    split = split_claims(everyone, read_claims(files.leave_out) if files.leave_out else [])
    claims = [claim for claim in split.held_out if not is_measured(claim.claim)]
    kinds = [averitec_claims(claims, [*split.train, *split.held_out], seed)]
    if retrieved:
        kinds.append(retrieved_claims(claims, read_retrieved(retrieved, everyone)))
    if pack:
        kinds += [pack_claims(pack, seed), contrast_claims(pack, seed)]
    found = [claim for kind in kinds for claim in drawn(kind, most, seed)]
    if scenarios:
        found += checked_claims(scenarios, seed, load_encoder(), reader, most)
    return found
