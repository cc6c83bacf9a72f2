"""Step: fits temperature and biases of a verdict model's runs together, on the held-out claims of its training.

Seeds that are asked together are less sure than each alone, and find rare verdicts less often: what was fitted for one
does not fit all. Writes `together.json` into the folder that holds `seed_N`.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import msgspec

from src.errors import InputError
from src.models.evidence_rows import PUBLISHED_TEXT
from src.models.joint_veracity import TASK, JointVerdict, load_runs
from src.models.trained import TOGETHER, Together, read_trained
from src.runner.arguments import StepParser, WithDefaults, step
from src.runner.console import say
from src.store import read_claims
from src.training.flags import add_data
from src.training.retrieved import read_retrieved
from src.training.run import hashes_of
from src.training.split import split_claims
from src.training.verdicts.scores import WORTH, commonest_verdict, held_out_parts, joint_final
from src.whole_file import write_whole

MODULE = "src.training.fit_together"


def parser() -> argparse.ArgumentParser:
    lines = (__doc__ or "").split("\n\n")
    flags = StepParser(prog=f"python -m {MODULE}", description=lines[0], formatter_class=WithDefaults)
    flags.add_argument("folder", type=Path, metavar="FOLDER", help="a verdict model with other runs as seed_N in it")
    add_data(flags)
    flags.add_argument("--retrieved", type=Path, help="CSV of evidence that was retrieved for training claims")
    return flags


def _is_further(name: str) -> bool:
    """Return True for a file that no held-out claim is in: of the pack, of what was written, an earlier adapter."""
    return name.partition(" (")[0].endswith((".jsonl", ".jsonl.gz", ".safetensors"))


@step
def main(argv: Sequence[str] | None = None) -> int:
    args = parser().parse_args(argv)
    trained = read_trained(args.folder, TASK)
    if trained.layout == PUBLISHED_TEXT:
        raise InputError("of the published recipe, whose rule decides", path=args.folder)
    data = hashes_of({"train": args.train, "leave_out": args.leave_out, "retrieved": args.retrieved})
    if data != {name: found for name, found in trained.data.items() if not _is_further(name)}:
        names = ", ".join(trained.data)
        raise InputError(f"was trained on other files, by name or content, than are given: {names}", path=args.folder)
    model = JointVerdict(load_runs(args.folder))
    claims = read_claims(args.train)
    split = split_claims(claims, read_claims(args.leave_out) if args.leave_out else [])
    retrieved = read_retrieved(args.retrieved, claims) if args.retrieved else {}
    parts = held_out_parts(split.held_out, retrieved, blind=model.is_blind)
    final = joint_final(
        lambda inputs: model.log_probabilities(inputs).double().numpy(), parts, commonest_verdict(split.train)
    )
    together = Together(
        model.members,
        final.temperature,
        final.biases,
        {name: round(value, 5) for name, value in final.scores.items()},
        {name: round(value, 5) for name, value in final.floors.items()},
        data,
    )
    write_whole(args.folder / TOGETHER, msgspec.json.format(msgspec.json.encode(together), indent=2) + b"\n")
    said = ", ".join(f"{name} {final.scores[name]:.4f}" for name in (WORTH, f"{WORTH}, decided"))
    say(f"{args.folder / TOGETHER}: {len(model.members)} runs, temperature {final.temperature:.3f}, {said}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
