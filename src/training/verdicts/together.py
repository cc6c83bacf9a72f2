"""The ensemble of several runs of a verdict model's training: fit and scores on the training's held-out claims.

The settings are those of `src.training.fit_together`.
"""

from pathlib import Path
from typing import Annotated

import msgspec

from src.errors import InputError
from src.models.evidence_rows import PUBLISHED_TEXT
from src.models.trained import Trained, read_trained
from src.models.veracity import TASK, JointVerdict
from src.settings import Flag, Group
from src.store import read_claims
from src.training.recipe import ClaimFiles
from src.training.retrieved import read_retrieved
from src.training.run import hashes_of
from src.training.split import split_claims
from src.training.task import Final
from src.training.verdicts.held_out import Learned, all_parts
from src.training.verdicts.scores import commonest_verdict, joint_final


class RunsSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of a step that reads several runs of a verdict model."""

    folder: Annotated[Path, Flag("a verdict model with other runs as seed_N in it", metavar="FOLDER", positional=True)]
    files: Annotated[ClaimFiles, Group()] = ClaimFiles()
    retrieved: Annotated[Path | None, Flag("CSV of evidence that was retrieved for training claims")] = None


def read_first(settings: RunsSettings) -> tuple[Trained, dict[str, str]]:
    """Return the record of the folder's run, and the hashes of the given claim files.

    Raises InputError when these are not the files of its training, and for a run of the published recipe.
    """
    trained = read_trained(settings.folder, TASK)
    if trained.layout == PUBLISHED_TEXT:
        raise InputError("of the published recipe, whose rule decides", path=settings.folder)
    data = hashes_of(
        {"train": settings.files.train, "leave_out": settings.files.leave_out, "retrieved": settings.retrieved}
    )
    if data != {name: found for name, found in trained.data.items() if not _is_further(name)}:
        names = ", ".join(trained.data)
        raise InputError(
            f"was trained on other files, by name or content, than are given: {names}", path=settings.folder
        )
    return trained, data


def _is_further(name: str) -> bool:
    """Return True for a file without held-out claims of AVeriTeC: the pack, written records, an earlier adapter."""
    return name.partition(" (")[0].endswith((".jsonl", ".jsonl.gz", ".safetensors"))


def final_of_runs(model: JointVerdict, settings: RunsSettings, learned: Learned) -> Final:
    """Return the scores of the ensemble, and its temperature and biases, fitted on the held-out claims."""
    files = settings.files
    claims = read_claims(files.train)
    split = split_claims(claims, read_claims(files.leave_out) if files.leave_out else [])
    retrieved = read_retrieved(settings.retrieved, claims) if settings.retrieved else {}
    parts = all_parts(split, retrieved, learned, blind=model.is_blind)
    return joint_final(
        lambda inputs: model.log_probabilities(inputs).double().numpy(), parts, commonest_verdict(split.train)
    )
