"""Chooses the threshold of `src/explanation/checks/bearing.py`, on held-out claims of AVeriTeC's train.

    python -m bench.bearing                # the curve, and the everyday claims at the threshold
    python -m bench.bearing --reader out/reader --json out/bearing.json

For several shares of gold justifications that may be flagged, the threshold is printed, and how many planted
explanations it finds. These are the justification of another claim, or a true sentence of another claim's evidence; the
other claims are all of train. The everyday claims of this project have their pages; there the sentence is from a page
that decides the claim, and shares no word with claim and justification.

Limitations: not every sentence of these pages was inspected; one without shared words may still bear on its claim.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random

import msgspec

from bench.check_thresholds import held_out
from bench.command import StepParser, command
from bench.everyday import EVERYDAY, deciding_pages
from bench.scoreboard.published import AVERITEC
from src.atomic_file import write_whole
from src.explanation.checks.bearing import BEARS, Bearing
from src.explanation.claims_file import gold_explanations
from src.explanation.labels import conclusion
from src.explanation.records import ExplainedClaim
from src.explanation.synthetic_errors.planting import planted_copies
from src.explanation.synthetic_errors.records import Kind
from src.explanation.synthetic_errors.scene import LONGEST, SHORTEST, Elsewhere
from src.explanation.synthetic_errors.scores import as_explained
from src.explanation.synthetic_errors.word_lists import TRAIN
from src.explanation.text import without_end
from src.models.entailment import load_entailment
from src.records import QAPair, Verdict
from src.reranking.hybrid.own_words import own_words
from src.stance.reader import READER
from src.text import sentences

SHARES = (0.01, 0.02, 0.03, 0.05, 0.08)
KINDS = (Kind.OTHER_JUSTIFICATION, Kind.IDLE_SENTENCE)
Measures = Sequence[float | None]


def below(measures: Measures, threshold: float) -> float:
    """Return the share of all justifications that the threshold flags; unread ones (None) are not flagged."""
    return sum(one is not None and one < threshold for one in measures) / len(measures)


def threshold_at(gold: Measures, share: float) -> float:
    """Return the highest threshold that flags at most this share of the gold justifications."""
    read = sorted(one for one in gold if one is not None)
    allowed = int(share * len(gold))
    return read[allowed] if allowed < len(read) else 1.0


class Point(msgspec.Struct, frozen=True):
    """Result of one threshold.

    `allowed`: share of gold justifications that may be flagged, by which the threshold was chosen; None for the
        threshold that the check uses (`BEARS`).
    `threshold`: the threshold.
    `flagged`: share of all gold justifications that is flagged.
    `flagged_of_read`: share of the gold justifications that the model reads.
    `found`: for each kind of planted explanations, the share that is flagged.
    """

    allowed: float | None
    threshold: float
    flagged: float
    flagged_of_read: float
    found: dict[Kind, float]


class Curve(msgspec.Struct, frozen=True):
    """Results of several thresholds on a set of claims.

    `claims`: name of the set.
    `gold`: number of gold justifications.
    `read`: number of those that the model reads.
    `planted`: number of planted explanations of each kind.
    `points`: results by threshold.
    """

    claims: str
    gold: int
    read: int
    planted: dict[Kind, int]
    points: list[Point]


def curve_of(claims: str, gold: Measures, planted: Mapping[Kind, Measures]) -> Curve:
    """Return the curve, given the bearing of gold and planted justifications (`Bearing.measures`); None if one is not
    read.
    """
    read = [one for one in gold if one is not None]
    chosen: list[tuple[float | None, float]] = [(share, threshold_at(gold, share)) for share in SHARES]
    points = [
        Point(
            share,
            threshold,
            below(gold, threshold),
            below(read, threshold),
            {kind: below(its, threshold) for kind, its in planted.items()},
        )
        for share, threshold in [*chosen, (None, BEARS)]
    ]
    return Curve(claims, len(gold), len(read), {kind: len(its) for kind, its in planted.items()}, points)


def lines(curve: Curve) -> Iterator[str]:
    yield f"{curve.claims}: {curve.gold} gold justifications, {curve.read} of them read"
    for one in curve.points:
        name = "the setting" if one.allowed is None else f"{one.allowed:.0%} allowed"
        shares = ", ".join(f"{kind} {share:.3f} of {curve.planted[kind]}" for kind, share in one.found.items())
        flagged = f"flagged {one.flagged:.3f} of all, {one.flagged_of_read:.3f} of those read"
        yield f"  {name}: threshold {one.threshold:.3f}, {flagged}; found {shares}"


def beside_on_page(claim: ExplainedClaim, pages: Sequence[Sequence[str]]) -> ExplainedClaim | None:
    """Return the claim with another explanation: a sentence of its pages that shares no word with it, and the verdict.

    None if there is no such sentence, or the verdict is Not Enough Evidence.
    """
    known = set(own_words(f"{claim.claim} {claim.explanation}"))
    texts = [one for page in pages for text in page for one in sentences(text)]
    fits = [one for one in texts if SHORTEST <= len(one.split()) <= LONGEST and not known & set(own_words(one))]
    if not fits or claim.label == Verdict.NOT_ENOUGH_EVIDENCE:
        return None
    chosen = Random(claim.claim).choice(fits)
    evidence = [*claim.evidence, QAPair("", chosen)]
    explanation = f"{without_end(chosen)}; {conclusion(claim.label)}."
    return msgspec.structs.replace(claim, explanation=explanation, evidence=evidence)


@command
def main(argv: Sequence[str] | None = None) -> int:
    flags = StepParser(prog="python -m bench.bearing", description=(__doc__ or "").split("\n\n")[0])
    flags.add_argument("--reader", type=Path, default=READER)
    flags.add_argument("--json", type=Path, help="where to write the curves")
    args = flags.parse_args(argv)
    by = Bearing(load_entailment(args.reader))
    curves = [_held_out_curve(by), _everyday_curve(by)]
    print("\n".join(line for curve in curves for line in lines(curve)))
    if args.json:
        write_whole(args.json, msgspec.json.format(msgspec.json.encode(curves), indent=2) + b"\n")
    return 0


def _held_out_curve(by: Bearing) -> Curve:
    claims = held_out()
    others = Elsewhere({}, [], gold_explanations(AVERITEC / "train.json"))
    copies = list(planted_copies(claims, KINDS, others, TRAIN))
    planted = {
        kind: by.measures([as_explained(one, one.explanation) for one in copies if one.planted.kind is kind])
        for kind in KINDS
    }
    return curve_of("held-out claims of train", by.measures([one.claim for one in claims]), planted)


def _everyday_curve(by: Bearing) -> Curve:
    everyday = gold_explanations(EVERYDAY / "claims.json")
    pages = {claim.claim_id: sentences for claim, sentences in deciding_pages()}
    beside = [one for claim in everyday if (one := beside_on_page(claim, pages[claim.claim_id])) is not None]
    return curve_of("everyday claims", by.measures(everyday), {Kind.IDLE_SENTENCE: by.measures(beside)})


if __name__ == "__main__":
    raise SystemExit(main())
