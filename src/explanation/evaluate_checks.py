"""Step: how many planted errors the faithfulness checks find, by kind, and how often they flag what is clean.

Recall is the share of copies that have, on the sentence with the error, a finding of its type that the twin has not;
false alarms are the share of clean explanations, and of their sentences, with any finding.

    python -m src.explanation.evaluate_checks -i data_store/dev_planted.jsonl --clean gold=data_store/dev_clean.jsonl
"""

import argparse
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec

from src.errors import InputError
from src.explanation.checks.checker import Checker
from src.explanation.checks.flag import add_tagger_flag, chosen_checker
from src.explanation.claims_file import read_claims_to_explain
from src.explanation.planting.recall import KindRecall, Share, recall, share
from src.explanation.planting.records import PlantedClaim
from src.runner.arguments import StepParser, existing_file, natural, step
from src.runner.console import say
from src.runner.output_path import check_output
from src.store import read_by_claim
from src.text import sentences
from src.whole_file import write_whole

MODULE = "src.explanation.evaluate_checks"


class FalseAlarms(msgspec.Struct, frozen=True):
    """Of clean explanations `name`: those with a finding, and sentences with one; how often each type was found."""

    name: str
    explanations: Share
    sentences: Share
    types: dict[str, int]


class Scores(msgspec.Struct, frozen=True):
    """`a_minute`: explanations that were checked in a minute, planted and clean, loading left out."""

    recall: list[KindRecall]
    clean: list[FalseAlarms]
    a_minute: float


def parser() -> argparse.ArgumentParser:
    flags = StepParser(prog=f"python -m {MODULE}", description=(__doc__ or "").split("\n\n")[0])
    flags.add_argument("-i", "--planted_file", type=Path, default=Path("data_store/dev_planted.jsonl"),
                       help="copies with one error, and their twins")  # fmt: skip
    flags.add_argument("--clean", action="append", default=[], metavar="NAME=FILE", help="explanations without errors")
    flags.add_argument("--read_copies", action="store_true", help="check sentences that are copied from the evidence, "
                       "too; else only a verdict in them is looked at")  # fmt: skip
    add_tagger_flag(flags)
    flags.add_argument("--json", type=Path, metavar="FILE", help="the figures go there, too")
    flags.add_argument("--seed", type=natural, default=0, help="of the intervals, which are bootstrapped over claims")
    return flags


@step
def main(argv: Sequence[str] | None = None) -> int:
    args = parser().parse_args(argv)
    source = existing_file(args.planted_file, "src.explanation.plant_errors")
    clean = dict(map(_named, args.clean))
    if args.json is not None:
        check_output(args.json, {"planted_file": source, **clean})
    planted = read_by_claim(source, PlantedClaim)
    if not planted:
        raise InputError("holds no planted errors", path=source)
    checker = chosen_checker(args.tagger)
    found = scores(planted, clean, checker.with_copies() if args.read_copies else checker, args.seed)
    say("\n".join(lines(found)))
    if args.json is not None:
        write_whole(args.json, msgspec.json.format(msgspec.json.encode(found), indent=2) + b"\n")
    return 0


def scores(planted: Sequence[PlantedClaim], clean: dict[str, Path], by: Checker, seed: int) -> Scores:
    began = time.perf_counter()
    by_kind = recall(planted, by, seed)
    alarms = [_alarms(name, path, by, seed) for name, path in clean.items()]
    checked = len(planted) + len({one.of for one in planted}) + sum(one.explanations.n for one in alarms)
    return Scores(by_kind, alarms, 60 * checked / (time.perf_counter() - began))


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


def _alarms(name: str, path: Path, by: Checker, seed: int) -> FalseAlarms:
    claims = [one for one in read_claims_to_explain(path) if one.explanation]
    if not claims:
        raise InputError("holds no explanation", path=path)
    found = by.check(claims)
    said = [(claim.claim_id, at) for claim in claims for at in range(len(sentences(claim.explanation or "")))]
    flagged = {(one.claim_id, one.sentence) for each in found for one in each}
    ids = [claim.claim_id for claim in claims]
    types = Counter(one.type.value for each in found for one in each)
    return FalseAlarms(
        name,
        share(list(map(bool, found)), ids, seed),
        share([one in flagged for one in said], [claim_id for claim_id, _ in said], seed),
        dict(types.most_common()),
    )


def _named(text: str) -> tuple[str, Path]:
    name, mark, path = text.partition("=")
    if not mark or not name:
        raise InputError(f"--clean {text}: it is NAME=FILE")
    return name, existing_file(Path(path), "src.explanation.plant_errors --clean_file")


if __name__ == "__main__":
    raise SystemExit(main())
