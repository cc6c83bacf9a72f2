"""Step: measure how many planted errors the faithfulness checks find, by kind, and how often they flag clean texts.

Each copy has one planted error and a twin without it. A copy counts as found if the sentence with the error has a
finding of its type that the twin does not have. Recall is the share of copies found. False alarms are the shares of
clean explanations, and of their sentences, with any finding.

    python -m src.explanation.evaluate_checks -i data_store/dev_planted.jsonl --clean gold=data_store/dev_clean.jsonl
"""

import argparse
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from src.errors import InputError
from src.explanation.checks.checker import (
    add_reader_flag,
    add_tagger_flag,
    chosen_bearing,
    chosen_checker,
    reader_files,
    tagger_files,
)
from src.explanation.synthetic_errors.records import PlantedClaim
from src.explanation.synthetic_errors.scores import Scores, Share, scores
from src.runner.arguments import StepParser, existing_file, natural, step
from src.runner.console import say
from src.runner.fingerprint import fingerprint
from src.runner.manifest import new_manifest
from src.runner.output import write_output
from src.runner.paths import check_output, check_replaced
from src.store import read_by_claim, read_json

MODULE = "src.explanation.evaluate_checks"


def parser() -> argparse.ArgumentParser:
    flags = StepParser(prog=f"python -m {MODULE}", description=(__doc__ or "").split("\n\n")[0])
    flags.add_argument("-i", "--planted_file", type=Path, default=Path("data_store/dev_planted.jsonl"),
                       help="copies with one error, and their twins")  # fmt: skip
    flags.add_argument("--clean", action="append", default=[], metavar="NAME=FILE", help="explanations without errors")
    flags.add_argument("--read_copies", action="store_true", help="check sentences that are copied from the evidence, "
                       "too; else only a verdict in them is looked at")  # fmt: skip
    add_tagger_flag(flags)
    add_reader_flag(flags)
    flags.add_argument("--json", type=Path, metavar="FILE", help="the figures go there, too")
    flags.add_argument("--seed", type=natural, default=0, help="of the intervals, which are bootstrapped over claims")
    return flags


@step
def main(argv: Sequence[str] | None = None) -> int:
    began = time.perf_counter()
    args = parser().parse_args(argv)
    source = existing_file(args.planted_file, "src.explanation.plant_errors")
    clean = _clean(args.clean)
    reading, notes = reader_files(args.reader, args.tagger)
    of_clean = {f"clean {name}": path for name, path in clean.items()}
    inputs = {"planted_file": source, **of_clean, **tagger_files(args.tagger), **reading}
    if args.json is not None:
        _check_json(args.json, inputs)
    planted = read_by_claim(source, PlantedClaim)
    if not planted:
        raise InputError("holds no planted errors", path=source)
    checker = chosen_checker(args.tagger, chosen_bearing(reading))
    found = scores(planted, clean, checker.with_copies() if args.read_copies else checker, args.seed)
    say("\n".join([*notes, *lines(found)]))
    if args.json is not None:
        made = fingerprint(MODULE, args, inputs, [one.claim_id for one in planted])
        manifest = new_manifest(made, args, seconds={"wall": time.perf_counter() - began})
        write_output(args.json, msgspec.json.format(msgspec.json.encode(found), indent=2) + b"\n", [], manifest)
    return 0


def _check_json(path: Path, inputs: Mapping[str, Path]) -> None:
    """Raise InputError or OutputError, as `check_output` does, if the scores cannot be written to the path."""
    check_output(path, inputs, "file of scores")
    if not _holds_scores(path):
        check_replaced(path, MODULE, "file of scores")


def _holds_scores(path: Path) -> bool:
    """Return True if the file is one that this step writes; scores in `bench/results` have no manifest."""
    try:
        read_json(path, Scores)
    except InputError:
        return False
    return True


def lines(found: Scores) -> list[str]:
    rows = [f"{'planted error':34}{'n':>6}  {'of its type':22}{'where it is':22}of any type"]
    rows += [
        f"{one.kind:34}{one.of_type.n:6}  {_told(one.of_type):22}{_told(one.there):22}{_told(one.of_any)}"
        for one in found.recall
    ]
    rows += ["", f"{'clean':34}{'n':>6}  {'explanations flagged':22}{'sentences flagged':22}types"]
    rows += [
        f"{one.name:34}{one.explanations.n:6}  {_told(one.explanations):22}{_told(one.sentences):22}"
        + ", ".join(f"{kind} {count}" for kind, count in one.types.items())
        for one in found.clean
    ]
    return [*rows, "", f"{found.a_minute:.0f} explanations a minute"]


def _told(one: Share) -> str:
    return f"{one.share:.3f} ({one.low:.3f}-{one.high:.3f})"


def _clean(texts: Sequence[str]) -> dict[str, Path]:
    """Return the files by name.

    Raises: InputError if a text is not NAME=FILE, a file is missing, or a name is given twice.
    """
    found = [_named(text) for text in texts]
    names = [name for name, _ in found]
    if double := next((name for name in names if names.count(name) > 1), None):
        raise InputError(f"--clean {double}: two files have this name")
    return dict(found)


def _named(text: str) -> tuple[str, Path]:
    name, mark, path = text.partition("=")
    if not mark or not name:
        raise InputError(f"--clean {text}: it is NAME=FILE")
    return name, existing_file(Path(path), "src.explanation.plant_errors --clean_file")


if __name__ == "__main__":
    raise SystemExit(main())
