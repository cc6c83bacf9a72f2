"""Checks every claim of a set as a user does, from its own knowledge store, and scores what comes out.

    python -m bench.check --set sample|everyday|dev|held_out [--claims 0-500] [--roads questions,programs] [--samples 0]

Four sets: the 12 invented claims of `data_store/sample`, the 64 of `data_store/everyday`, AVeriTeC's dev from the
stores of `../shared`, and held-out claims of its train from stores with the gold pages in reach (`gold_stores.py`).
Beside stand the commonest label, always Refuted, the claim alone, and the published rule on the stances of the same
evidence; with held_out, the same verdict model on the gold pairs. `--samples` draws as many questions as `check.sh`
does by default (11); with 0 a check is faster, its questions are worse and its verdicts the same.

A run with `--json FILE` that was killed, or that a claim ended, goes on when it is started again with the same flags,
claims and models; only `--claims` and `--roads` may differ. Otherwise its answers are discarded, with a line that says
so.
"""

import argparse
import re
import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from bench.check.answered import answered
from bench.check.baselines import baselines, entailment_alone
from bench.check.measures import plain, row_of
from bench.check.part_file import PartFile, how_checked
from bench.check.records import Kept, Result
from bench.check.sets import HELD_OUT, SETS, chosen
from bench.check.table import table
from src.atomic_file import write_whole
from src.check import Asked, CheckedClaim, Models, Road, Select, Sources, check_claim
from src.check.model_flags import add_check_model_flags, add_reference, models_from
from src.evaluation.gold_pairs import gold_pairs
from src.llm.measure import machine
from src.prediction.verdicts import judge
from src.records import Claim, Evidence, QAPair, Verdict
from src.reranking.questions.flags import add_writer_flags
from src.runner.arguments import StepParser, step
from src.runner.paths import check_output


@step
def main(argv: Sequence[str] | None = None) -> int:
    args = _parser().parse_args(argv)
    if args.json:
        check_output(args.json, {}, "json")
    with tempfile.TemporaryDirectory() as folder:
        first, last = args.claims or (0, sys.maxsize)
        claims, store = chosen(args.set, first, last, Path(folder))
        return _bench(args, claims, store)


def _bench(args: argparse.Namespace, claims: list[Claim], store: Path) -> int:
    models = models_from(args)
    part = PartFile(args.json, how_checked(args))
    part_of = "-".join(map(str, args.claims or ()))
    result = Result(machine(), f"{args.set} {part_of}".strip(), baselines(claims))
    if args.set == HELD_OUT:
        result.rows.append(row_of("verdict by gold pairs", claims, plain(claims, _by_gold(models, claims)), None))
    for road in args.roads:
        _add_road(result, road, claims, store, models, args, part)
    result.peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(table(result))
    if args.json:
        write_whole(args.json, msgspec.json.format(msgspec.json.encode(result), indent=2) + b"\n")
    part.remove()
    return 0


def _by_gold(models: Models, claims: Sequence[Claim]) -> list[Verdict]:
    """Return what the verdict model says to the annotators' own questions and answers."""
    found = [Evidence(one.claim_id, one.claim, [QAPair(*pair) for pair in gold_pairs(one)]) for one in claims]
    return [outcome.record.pred_label for outcome in judge(models.verdict, found)]


def _add_road(
    result: Result,
    road: Road,
    claims: Sequence[Claim],
    store: Path,
    models: Models,
    args: argparse.Namespace,
    part: PartFile,
) -> None:
    """Add the rows of a road, and what it answered."""
    kept = {one.answered.claim_id: one for one in part.read() if one.road == road}
    for place, claim in enumerate(claims, start=1):
        if claim.claim_id in kept:
            continue
        began = time.perf_counter()
        checked = check_claim(_asked(claim, store, road, args), models=models)
        one = Kept(
            part.how,
            road,
            answered(claim, checked, models, time.perf_counter() - began),
            checked.prediction.evidence,
            entailment_alone(checked.stances),
        )
        kept[claim.claim_id] = one
        part.add(one)
        print(f"{road}: {place} of {len(claims)}: {claim.label} -> {_said(checked)}", flush=True)
    found = [kept[claim.claim_id] for claim in claims]
    if road is Road.QUESTIONS:
        by_stance = plain(claims, [one.by_stance for one in found])
        result.rows.append(row_of("entailment alone", claims, by_stance, None))
    answers = [one.answered for one in found]
    result.rows.append(row_of(f"check, {road}", claims, answers, [one.evidence for one in found]))
    result.answered[str(road)] = answers


def _asked(claim: Claim, store: Path, road: Road, args: argparse.Namespace) -> Asked:
    sources = Sources(knowledge_store=store / f"{claim.claim_id}.json")
    return Asked(claim.claim, sources, claim.claim_date or "", claim.speaker or "", road, select=Select(args.select))


def _said(checked: CheckedClaim) -> str:
    return f"{checked.prediction.pred_label} {checked.prediction.level or ''}"


def _parser() -> argparse.ArgumentParser:
    parser = StepParser(prog="python -m bench.check", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--set", choices=[*SETS, HELD_OUT], default="sample", help="which claims")
    parser.add_argument(
        "--claims",
        type=_range,
        metavar="FIRST-LAST",
        help="a range of their numbers, without LAST; with held_out of their places",
    )
    parser.add_argument("--roads", type=_roads, default=list(Road), help="of questions and programs, with a comma")
    add_reference(parser)
    add_check_model_flags(parser)
    parser.add_argument("--json", type=Path, help="where to write the result")
    add_writer_flags(parser)
    return parser


def _roads(text: str) -> list[Road]:
    """Read the argument of --roads."""
    if wrong := [name for name in text.split(",") if name not in list(Road)]:
        raise argparse.ArgumentTypeError(f"{wrong[0]!r} is not one of {', '.join(Road)}")
    return [Road(name) for name in text.split(",")]


def _range(text: str) -> tuple[int, int]:
    """Read the argument of --claims."""
    found = re.fullmatch(r"(\d+)-(\d+)", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not FIRST-LAST, such as 0-100")
    return int(found[1]), int(found[2])


if __name__ == "__main__":
    raise SystemExit(main())
