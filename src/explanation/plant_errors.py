"""Step: make a benchmark for faithfulness checks: copies of clean explanations, each with exactly one known error.

Reads explanations, AVeriTeC's gold justifications, or the sentences that PolitiHop's annotators chose from a ruling.
For each kind of error it writes one copy of every explanation in which the error can be planted, with its twin.
`--words train` and `--words test` share no phrase: train on one, measure on the other.

    python -m src.explanation.plant_errors --averitec data/dev.json -o data_store/dev_planted.jsonl
"""

import argparse
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from src.errors import InputError
from src.explanation.claims_file import gold_explanations, read_claims_to_explain
from src.explanation.politihop import copied_explanations
from src.explanation.records import ExplainedClaim
from src.explanation.synthetic_errors.planting import planted_copies
from src.explanation.synthetic_errors.records import Kind
from src.explanation.synthetic_errors.scene import elsewhere, scenes
from src.explanation.synthetic_errors.word_lists import LISTS
from src.runner.arguments import StepParser, existing_file, natural, positive, step
from src.runner.console import how_many, say
from src.runner.fingerprint import fingerprint
from src.runner.manifest import new_manifest
from src.runner.output import write_output
from src.runner.paths import check_output, check_replaced
from src.spacy_pipelines import FROM_PYPI, load
from src.store import encode_lines

MODULE = "src.explanation.plant_errors"


def parser() -> argparse.ArgumentParser:
    flags = StepParser(prog=f"python -m {MODULE}", description=(__doc__ or "").split("\n\n")[0])
    add = flags.add_argument
    clean = flags.add_mutually_exclusive_group(required=True)
    clean.add_argument("-i", "--explanations_file", type=Path, help="explanations with their claims and evidence")
    clean.add_argument("--averitec", type=Path, help="AVeriTeC's claims with gold evidence and justification")
    clean.add_argument("--politihop", type=Path, help="PolitiHop's table of a split")
    add("-o", "--output_file", type=Path, default=Path("data_store/dev_planted.jsonl"), help="copies, one a line")
    add("--clean_file", type=Path, help="the clean explanations go there, too")
    add(
        "--words",
        choices=list(LISTS),
        default="test",
        help="which word lists: those that measure, or those to learn from",
    )
    kinds = [kind.name.lower() for kind in Kind]
    add("--kinds", nargs="+", type=_plain, choices=kinds, default=kinds, metavar="KIND",
        help="such as intrinsic_number (default: all fourteen)")  # fmt: skip
    add("--most", type=positive, help="explanations that are read, from the first")
    add("--seed", type=natural, default=0, help="of what is drawn")
    add("--quiet", action="store_true", help="print errors only")
    return flags


@step
def main(argv: Sequence[str] | None = None) -> int:
    began = time.perf_counter()
    args = parser().parse_args(argv)
    source = _source(args)
    claims = _clean(args, source)[: args.most]
    inputs = {"explanations_file": source}
    _check_outputs(args, inputs)
    found = [one for one in scenes(claims, load(FROM_PYPI, [])) if one.said]
    if not found:
        raise InputError("holds no explanation to plant an error in", path=source)
    kinds = [Kind[kind.upper()] for kind in args.kinds]
    planted = list(planted_copies(found, kinds, elsewhere(found), LISTS[args.words], args.seed))
    made = fingerprint(MODULE, args, inputs, [one.claim.claim_id for one in found])
    counts = Counter(one.planted.kind.value for one in planted)
    manifest = new_manifest(made, args, seconds={"wall": time.perf_counter() - began}, counts=counts)
    write_output(args.output_file, encode_lines(planted), [], manifest)
    if args.clean_file is not None:
        write_output(args.clean_file, encode_lines([one.claim for one in found]), [], manifest)
    told = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    of = how_many(len(found), "explanation")
    say(
        f"plant_errors: {of}, {how_many(len(planted), 'planted error')}: {told} -> {args.output_file}", quiet=args.quiet
    )
    return 0


def _check_outputs(args: argparse.Namespace, inputs: Mapping[str, Path]) -> None:
    """Raise InputError or OutputError, as `check_output` does, if an output cannot be written or would replace another
    file.
    """
    named = {"output_file": args.output_file, "clean_file": args.clean_file}
    outputs = {name: path for name, path in named.items() if path is not None}
    for name, path in outputs.items():
        others = {other: its for other, its in outputs.items() if other != name}
        check_output(path, {**inputs, **others})
        check_replaced(path, MODULE, "file of planted errors")


def _plain(text: str) -> str:
    """Return the kind's name as the flag takes it, without blanks and commas."""
    return text.replace(" ", "_").replace(",", "")


def _source(args: argparse.Namespace) -> Path:
    if args.averitec is not None:
        return Path(args.averitec)  # its reader says how to get the file
    if args.politihop is not None:
        return existing_file(args.politihop, "the authors of PolitiHop")
    return existing_file(args.explanations_file, "src.explanation.generate_explanations")


def _clean(args: argparse.Namespace, source: Path) -> list[ExplainedClaim]:
    if args.averitec is not None:
        return gold_explanations(source)
    return copied_explanations(source) if args.politihop is not None else read_claims_to_explain(source)


if __name__ == "__main__":
    raise SystemExit(main())
