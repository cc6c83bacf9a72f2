"""Whether a verdict depends on the evidence: held-out claims with their gold answers among others, and without them.

    python -m bench.evidence_left_out [--verdict stacked] [--json FILE]

Every claim of AVeriTeC's train on which nothing is trained or fitted is judged twice: with its gold answers among gold
answers of similar claims, and with those of similar claims alone. A verdict that follows from evidence is then Not
Enough Evidence, and the probability of the claim's label falls back to the share that the label has among all claims,
or lower.

Limitations: a gold answer of a similar claim may decide the claim, too. Means of probabilities leave out claims that
are judged by rule, without a model, such as those whose passages only repeat them.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

import msgspec

from bench.check.gold_stores import measured_claims
from bench.command import StepParser, command
from bench.scoreboard.published import AVERITEC
from src.atomic_file import write_whole
from src.errors import InputError
from src.models.veracity import Judgment
from src.prediction.verdicts import STACKED, VERDICT_MODELS, load_verdict_model
from src.records import Evidence, QAPair, Verdict
from src.store import read_claims
from src.training.passages.mixed import ClaimWithPassages, averitec_claims

SEED = 0


class Shown(msgspec.Struct, frozen=True):
    """Means over the claims of one label: the probability of that label, over the `measured` claims that have
    probabilities, and the share judged Not Enough Evidence.
    """

    probability: float
    measured: int
    not_enough: float


class Row(msgspec.Struct, frozen=True):
    label: Verdict
    claims: int
    share: float
    with_gold: Shown
    without: Shown


@command
def main(argv: Sequence[str] | None = None) -> int:
    flags = StepParser(prog="python -m bench.evidence_left_out", description=(__doc__ or "").split("\n\n")[0])
    flags.add_argument("--verdict", choices=list(VERDICT_MODELS), default=STACKED.name, help="the verdict model")
    flags.add_argument("--json", type=Path, help="where to write the rows")
    args = flags.parse_args(argv)
    rows = measured(args)
    print(table(rows))
    if args.json:
        write_whole(args.json, msgspec.json.format(msgspec.json.encode(rows), indent=2) + b"\n")
    return 0


def measured(args: argparse.Namespace) -> list[Row]:
    """Return a row for each label, the most frequent first. Raises InputError, ModelError."""
    model = load_verdict_model(VERDICT_MODELS[args.verdict])
    train, dev = read_claims(AVERITEC / "train.json"), read_claims(AVERITEC / "dev.json")
    claims = [one for one in measured_claims(train, dev) if one.questions]
    whole, left_out = (averitec_claims(claims, train, SEED, left_out=share) for share in (0.0, 1.0))
    with_gold, without = (model.judge([_evidence(one) for one in its]) for its in (whole, left_out))
    judged: dict[Verdict, list[tuple[Judgment, Judgment]]] = {}
    for claim, one, other in zip(whole, with_gold, without, strict=True):
        judged.setdefault(claim.label, []).append((one, other))
    rows = []
    for label, own in sorted(judged.items(), key=lambda one: -len(one[1])):
        means = (shown(label, its) for its in zip(*own, strict=True))
        rows.append(Row(label, len(own), round(len(own) / len(whole), 4), *means))
    return rows


def shown(label: Verdict, judged: Sequence[Judgment]) -> Shown:
    """Raises InputError where no judgment has probabilities."""
    known = [one.probabilities[label] for one in judged if one.probabilities]
    if not known:
        raise InputError("--verdict: this model gives no probabilities, which are what is measured")
    not_enough = fmean(one.verdict is Verdict.NOT_ENOUGH_EVIDENCE for one in judged)
    return Shown(round(fmean(known), 4), len(known), round(not_enough, 4))


def _evidence(claim: ClaimWithPassages) -> Evidence:
    return Evidence(0, claim.claim, [QAPair("", passage.text, passage.url) for passage in claim.passages])


def table(rows: Sequence[Row]) -> str:
    """Return the rows as Markdown."""
    head = "| label | claims | share of all | its probability with gold, without | Not Enough Evidence with, without |"
    lines = [
        f"| {row.label} | {row.claims} | {row.share:.3f} | {_chance(row.with_gold)}, {_chance(row.without)} | "
        f"{row.with_gold.not_enough:.3f}, {row.without.not_enough:.3f} |"
        for row in rows
    ]
    return "\n".join([head, "|---|---|---|---|---|", *lines])


def _chance(mean: Shown) -> str:
    return f"{mean.probability:.3f} ({mean.measured})"


if __name__ == "__main__":
    raise SystemExit(main())
