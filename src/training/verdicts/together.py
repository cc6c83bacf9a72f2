"""The ensemble of several runs of a verdict model's training: fit and scores on the training's held-out claims.

The arguments are those of `src.training.fit_together`.
"""

from argparse import Namespace
from pathlib import Path

from src.errors import InputError
from src.models.evidence_rows import PUBLISHED_TEXT
from src.models.trained import Trained, read_trained
from src.models.veracity import TASK, JointVerdict
from src.runner.arguments import StepParser, WithDefaults
from src.store import read_claims
from src.training.flags import add_data
from src.training.retrieved import read_retrieved
from src.training.run import hashes_of
from src.training.split import split_claims
from src.training.task import Final
from src.training.verdicts.held_out import Learned, all_parts
from src.training.verdicts.scores import commonest_verdict, joint_final


def runs_parser(module: str, description: str | None) -> StepParser:
    lines = (description or "").split("\n\n")
    flags = StepParser(prog=f"python -m {module}", description=lines[0], formatter_class=WithDefaults)
    flags.add_argument("folder", type=Path, metavar="FOLDER", help="a verdict model with other runs as seed_N in it")
    add_data(flags)
    flags.add_argument("--retrieved", type=Path, help="CSV of evidence that was retrieved for training claims")
    return flags


def read_first(args: Namespace) -> tuple[Trained, dict[str, str]]:
    """Return the record of the folder's run, and the hashes of the given claim files.

    Raises InputError when these are not the files of its training, and for a run of the published recipe.
    """
    trained = read_trained(args.folder, TASK)
    if trained.layout == PUBLISHED_TEXT:
        raise InputError("of the published recipe, whose rule decides", path=args.folder)
    data = hashes_of({"train": args.train, "leave_out": args.leave_out, "retrieved": args.retrieved})
    if data != {name: found for name, found in trained.data.items() if not _is_further(name)}:
        names = ", ".join(trained.data)
        raise InputError(f"was trained on other files, by name or content, than are given: {names}", path=args.folder)
    return trained, data


def _is_further(name: str) -> bool:
    """Return True for a file without held-out claims of AVeriTeC: the pack, written records, an earlier adapter."""
    return name.partition(" (")[0].endswith((".jsonl", ".jsonl.gz", ".safetensors"))


def final_of_runs(model: JointVerdict, args: Namespace, learned: Learned) -> Final:
    """Return the scores of the ensemble, and its temperature and biases, fitted on the held-out claims."""
    claims = read_claims(args.train)
    split = split_claims(claims, read_claims(args.leave_out) if args.leave_out else [])
    retrieved = read_retrieved(args.retrieved, claims) if args.retrieved else {}
    parts = all_parts(split, retrieved, learned, blind=model.is_blind)
    return joint_final(
        lambda inputs: model.log_probabilities(inputs).double().numpy(), parts, commonest_verdict(split.train)
    )
