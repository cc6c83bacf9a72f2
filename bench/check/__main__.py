"""Checks every claim of a set as a user does, from its own knowledge store, and scores what comes out.

    python -m bench.check --set sample|everyday|dev|held_out [--claims 0-500] [--strategies questions] [--samples 0]

Four sets: the 12 invented claims of `data_store/sample`, the 64 of `data_store/everyday`, AVeriTeC's dev from the
stores of `../shared`, and held-out claims of its train from stores with the gold pages in reach (`gold_stores.py`).
Beside stand the commonest label, always Refuted, the claim alone, and the published rule on the stances of the same
evidence; with held_out, the same verdict model on the gold pairs. `--samples` draws as many questions as `check.sh`
does by default (11); with 0 a check is faster, its questions are worse and its verdicts the same.

A run with `--json FILE` that was killed, or that a claim ended, goes on when it is started again with the same flags,
claims and models; only `--claims` and `--strategies` may differ. Otherwise its answers are discarded, with a line that
says so.
"""

import re
import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec

from bench.check.answered import answered
from bench.check.baselines import baselines, entailment_alone
from bench.check.measures import plain, row_of
from bench.check.part_file import PartFile, how_checked
from bench.check.records import Kept, Result
from bench.check.sets import HELD_OUT, SETS, chosen
from bench.check.table import table
from src.atomic_file import write_whole
from src.check import CheckedClaim, CheckRequest, Models, ModelSettings, Sources, Strategy, check_claim
from src.evaluation.averitec import gold_pairs
from src.llm.measure import machine
from src.prediction.verdicts import judge
from src.records import Claim, Evidence, QAPair, Verdict
from src.runner.paths import check_output
from src.runner.step import step
from src.settings import Flag, Group


class ClaimSpan(NamedTuple):
    """Range of claims: indexes `first` to `end` - 1, from 0."""

    first: int
    end: int


def _strategies(text: str) -> list[Strategy]:
    """Return the strategies named in the argument of --strategies."""
    if wrong := [name for name in text.split(",") if name not in list(Strategy)]:
        raise ValueError(f"{wrong[0]!r} is not one of {', '.join(Strategy)}")
    return [Strategy(name) for name in text.split(",")]


def _range(text: str) -> ClaimSpan:
    """Return the range in the argument of --claims, such as 0-100. Raises ValueError for another text."""
    match = re.fullmatch(r"(\d+)-(\d+)", text)
    if match is None:
        raise ValueError(f"{text!r} is not FIRST-LAST, such as 0-100")
    return ClaimSpan(int(match[1]), int(match[2]))


class BenchSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the benchmark."""

    set: Annotated[str, Flag("which claims", choices=(*SETS, HELD_OUT))] = "sample"
    claims: Annotated[
        ClaimSpan | None,
        Flag(
            "a range of their numbers, without LAST; with held_out of their places",
            metavar="FIRST-LAST",
            parse=_range,
        ),
    ] = None
    strategies: Annotated[
        Sequence[Strategy],
        Flag("questions, programs, or both with a comma", former="--roads", parse=_strategies),
    ] = tuple(Strategy)
    json: Annotated[Path | None, Flag("where to write the result")] = None
    models: Annotated[ModelSettings, Group()] = ModelSettings()


@step(BenchSettings)
def main(args: BenchSettings) -> int:
    if args.json:
        check_output(args.json, {}, "json")
    with tempfile.TemporaryDirectory() as folder:
        first, last = args.claims or (0, sys.maxsize)
        claims, store = chosen(args.set, first, last, Path(folder))
        return _bench(args, claims, store)


def _bench(args: BenchSettings, claims: list[Claim], store: Path) -> int:
    models = Models(args.models)
    part = PartFile(args.json, how_checked(args.set, args.models))
    part_of = "-".join(map(str, args.claims or ()))
    result = Result(machine(), f"{args.set} {part_of}".strip(), baselines(claims))
    if args.set == HELD_OUT:
        result.rows.append(row_of("verdict by gold pairs", claims, plain(claims, _by_gold(models, claims)), None))
    for strategy in args.strategies:
        _add_strategy(result, strategy, claims, store, models, args, part)
    result.peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(table(result))
    if args.json:
        write_whole(args.json, msgspec.json.format(msgspec.json.encode(result), indent=2) + b"\n")
    part.remove()
    return 0


def _by_gold(models: Models, claims: Sequence[Claim]) -> list[Verdict]:
    """Return the verdicts that the verdict model predicts from the annotators' own questions and answers."""
    evidence = [Evidence(one.claim_id, one.claim, [QAPair(*pair) for pair in gold_pairs(one)]) for one in claims]
    return [outcome.record.pred_label for outcome in judge(models.verdict, evidence)]


def _add_strategy(
    result: Result,
    strategy: Strategy,
    claims: Sequence[Claim],
    store: Path,
    models: Models,
    args: BenchSettings,
    part: PartFile,
) -> None:
    """Add the rows of a strategy and its answers to the result.

    Claims that `part` has already are not checked again.
    """
    known = {one.answered.claim_id: one for one in part.read() if one.strategy == strategy}
    for place, claim in enumerate(claims, start=1):
        if claim.claim_id in known:
            continue
        began = time.perf_counter()
        checked = check_claim(_request(claim, store, strategy, args), models=models)
        one = Kept(
            part.how,
            strategy,
            answered(claim, checked, models, time.perf_counter() - began),
            checked.prediction.evidence,
            entailment_alone(checked.stances),
        )
        known[claim.claim_id] = one
        part.add(one)
        print(f"{strategy}: {place} of {len(claims)}: {claim.label} -> {_verdict_text(checked)}", flush=True)
    rows = [known[claim.claim_id] for claim in claims]
    if strategy is Strategy.QUESTIONS:
        by_stance = plain(claims, [one.by_stance for one in rows])
        result.rows.append(row_of("entailment alone", claims, by_stance, None))
    answers = [one.answered for one in rows]
    result.rows.append(row_of(f"check, {strategy}", claims, answers, [one.evidence for one in rows]))
    result.answered[str(strategy)] = answers


def _request(claim: Claim, store: Path, strategy: Strategy, args: BenchSettings) -> CheckRequest:
    sources = Sources(knowledge_store=store / f"{claim.claim_id}.json")
    return CheckRequest(
        claim.claim, sources, claim.claim_date or "", claim.speaker or "", strategy, select=args.models.select
    )


def _verdict_text(checked: CheckedClaim) -> str:
    return f"{checked.prediction.pred_label} {checked.prediction.level or ''}"


if __name__ == "__main__":
    raise SystemExit(main())
