"""Chooses the thresholds of `src/explanation/checks/tagged.py`, on claims that the tagger has not learned from.

    python -m bench.check_thresholds

Errors are planted, with the word list for training, into gold justifications. The claims are those of AVeriTeC's train
that trainings neither learn from nor are measured on. All thresholds begin too high for any finding. One at a time is
lowered: the one that finds most errors for the clean explanations that it flags. The limits are the shares of clean
explanations that may be flagged: `--gold` of the gold justifications, `--rulings` of the sentences copied from
PolitiHop's valid. The thresholds for several parts of these limits (`--shares`) are printed, with the errors that they
find. Thresholds chosen on one half of the claims are also measured on the other half.

Limitations: while thresholds are tried, a finding of the tagger counts even if a lexical check has one on the same
words. A finding that the twin (the text without the error) also has counts for thresholds above its probability in
the twin. `recall` in `src/explanation/synthetic_errors/scores.py` may therefore count some copies differently.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bench.command import StepParser, command
from bench.scoreboard.published import AVERITEC
from src.explanation.checks.checker import SHIPPED, Checker, checker
from src.explanation.checks.tagged import NEVER, Candidate, Thresholds
from src.explanation.claims_file import gold_explanation
from src.explanation.politihop import copied_explanations
from src.explanation.records import ExplainedClaim
from src.explanation.synthetic_errors.planting import planted_copies
from src.explanation.synthetic_errors.records import IN_A_SENTENCE, Kind, PlantedClaim
from src.explanation.synthetic_errors.scene import Scene, elsewhere, scenes
from src.explanation.synthetic_errors.scores import as_explained, twins_of
from src.explanation.synthetic_errors.word_lists import TRAIN
from src.spacy_pipelines import FROM_PYPI, load
from src.store import read_claims
from src.text import sentences
from src.training.faithfulness import MEASURED
from src.training.split import split_claims

TARGETS = {
    Kind.EXTRINSIC_ENTITY: 0.97, Kind.EXTRINSIC_NUMBER: 0.95, Kind.OVERGENERALISATION: 0.99,
    Kind.IRRELEVANT_EVIDENCE: 0.97, Kind.FLIPPED_CONCLUSION: 0.9, Kind.EXTRINSIC_EVENT: 0.6,
    Kind.EXTRINSIC_EVENT_ELSEWHERE: 0.6, Kind.EXTRINSIC_NOUN_PHRASE: 0.6, Kind.INTRINSIC_ENTITY: 0.7,
    Kind.INTRINSIC_NUMBER: 0.7, Kind.INTRINSIC_EVENT: 0.6, Kind.INTRINSIC_NOUN_PHRASE: 0.4,
}  # fmt: skip
POLITIHOP_VALID = AVERITEC.parent / "madr" / "politihop_valid.tsv.gz"
STEPS = np.array([NEVER, 0.99, 0.98, *np.arange(0.97, 0.0, -0.02), 0.0])
NAMES = Thresholds.__struct_fields__
LEAPS = (1, 2, 4, 7, 12, 20)  # a threshold may fall by several steps at once: the first few may find nothing
Array = np.ndarray[Any, np.dtype[Any]]


class Outcome(NamedTuple):
    """Result of a choice of thresholds.

    `recall`: for each kind of error, the share of copies whose error is found.
    `flagged`: for each set of clean explanations, the share that is flagged.
    """

    recall: Mapping[Kind, float]
    flagged: Mapping[str, float]

    @property
    def worth(self) -> float:
        """Return the value to maximize: the mean over kinds of the recall relative to its target, at most 1, plus a
        tenth of the recall.
        """
        return float(np.mean([min(1.0, recall / TARGETS[kind]) + 0.1 * recall for kind, recall in self.recall.items()]))


class Planted(NamedTuple):
    """Copies with a planted error, and the thresholds that find the error.

    The error of a copy is found if, for some candidate finding, the threshold is above `low` and at most `high`.

    `kinds`: kind of error of each copy.
    `claims`: claim_id of each copy's clean explanation.
    `low`: probability of the finding in the twin; shape [copies, thresholds, candidates].
    `high`: probability of the finding in the copy; same shape.
    """

    kinds: Array
    claims: Array
    low: Array
    high: Array


class Clean(NamedTuple):
    """A set of explanations without errors.

    `name`: name of the set.
    `claims`: claim_id of each explanation.
    `highest`: highest probability of a candidate finding; shape [explanations, thresholds].
    `most`: share of the explanations that may be flagged.
    """

    name: str
    claims: Array
    highest: Array
    most: float


def planted(copies: Sequence[PlantedClaim], by: Checker) -> Planted:
    twins = twins_of(copies)
    of_twins = dict(zip(twins, by.prepared(list(twins.values())), strict=True))
    prepared = by.prepared([as_explained(one, one.explanation) for one in copies])
    spans = [_windows(one, its, of_twins[one.of]) for one, its in zip(copies, prepared, strict=True)]
    most = max(len(them) for one in spans for them in one)
    low, high = np.full((2, len(copies), len(NAMES), most), [[[[2.0]]], [[[-1.0]]]])
    for at, of_copy in enumerate(spans):
        for name, windows in enumerate(of_copy):
            for place, window in enumerate(windows):
                low[at, name, place], high[at, name, place] = window
    kinds = np.array([one.planted.kind.value for one in copies])
    return Planted(kinds, np.array([one.of for one in copies]), low, high)


def _windows(
    one: PlantedClaim, candidates: Sequence[Candidate], of_twin: Sequence[Candidate]
) -> list[list[tuple[float, float]]]:
    """Return, for each threshold, the candidates of the planted type in the sentence with the error.

    A candidate is given as two probabilities: that of the same words in the twin (-1 if it has no such candidate), and
    that in the copy.
    """
    at, kind = one.planted.sentence, one.planted.type
    is_whole = len(sentences(one.explanation)) > len(sentences(one.twin))
    known: dict[str, float] = {}
    for its in () if is_whole else of_twin:
        if its.finding.sentence == at and its.finding.type is kind:
            known[its.finding.span] = max(its.chance, known.get(its.finding.span, -1.0))
    windows: list[list[tuple[float, float]]] = [[] for _ in NAMES]
    for its in candidates:
        if its.finding.sentence == at and its.finding.type is kind:
            windows[NAMES.index(its.kind)].append((known.get(its.finding.span, -1.0), its.chance))
    return windows


def clean(name: str, claims: Sequence[ExplainedClaim], most: float, by: Checker) -> Clean:
    highest = np.full((len(claims), len(NAMES)), -1.0)
    for at, candidates in enumerate(by.prepared(claims)):
        for one in candidates:
            place = NAMES.index(one.kind)
            highest[at, place] = max(highest[at, place], one.chance)
    return Clean(name, np.array([one.claim_id for one in claims]), highest, most)


def outcome(places: Array, errors: Planted, sets: Sequence[Clean]) -> Outcome:
    """Return the result of the thresholds; `places` has the index of each threshold in `STEPS`."""
    levels = STEPS[places]
    at = levels[None, :, None]
    hits: Array = np.any(np.logical_and(errors.low < at, at <= errors.high), axis=(1, 2))
    of_kind = {kind: hits[np.equal(errors.kinds, kind.value)] for kind in Kind}
    recall = {kind: float(its.mean()) for kind, its in of_kind.items() if len(its)}
    return Outcome(recall, {one.name: float((one.highest >= levels).any(1).mean()) for one in sets})


def choose(errors: Planted, sets: Sequence[Clean], share: float) -> Array:
    """Return the index in `STEPS` of each chosen threshold; `share` is the part of the limits that may be used."""
    places = np.zeros(len(NAMES), dtype=int)
    known = outcome(places, errors, sets)
    while True:
        options = []
        for name in range(len(NAMES)):
            for further in LEAPS:
                if places[name] + further < len(STEPS):
                    tried = places.copy()
                    tried[name] += further
                    result = outcome(tried, errors, sets)
                    if all(result.flagged[one.name] <= share * one.most for one in sets):
                        cost = sum((result.flagged[one.name] - known.flagged[one.name]) / one.most for one in sets)
                        options.append(((result.worth - known.worth) / (cost + 0.003 * further), name, further))
        best = max(options, default=(0.0, 0, 0))
        if best[0] <= 0:
            return places
        places[best[1]] += best[2]
        known = outcome(places, errors, sets)


def half(errors: Planted, sets: Sequence[Clean], which: int) -> tuple[Planted, list[Clean]]:
    """Return the copies and explanations of the claims with an even claim_id (`which` is 0) or an odd one (1)."""
    mine: Array = np.equal(errors.claims % 2, which)
    halves = []
    for one in sets:
        its: Array = np.equal(one.claims % 2, which)
        halves.append(one._replace(claims=one.claims[its], highest=one.highest[its]))
    return Planted(*(part[mine] for part in errors)), halves


def held_out() -> list[Scene]:
    """Return the gold justifications that trainings neither learn from nor are measured on, prepared for planting."""
    split = split_claims(read_claims(AVERITEC / "train.json"), read_claims(AVERITEC / "dev.json"))
    explained = [one for one in map(gold_explanation, split.held_out[MEASURED:]) if one is not None]
    return [one for one in scenes(explained, load(FROM_PYPI, [])) if one.sentences]


@command
def main(argv: Sequence[str] | None = None) -> int:
    flags = StepParser(prog="python -m bench.check_thresholds", description=(__doc__ or "").split("\n\n")[0])
    flags.add_argument("--gold", type=float, default=0.11, help="share of the justifications that may be flagged")
    flags.add_argument("--rulings", type=float, default=0.01, help="share of the copied sentences")
    flags.add_argument("--tagger", type=Path, default=SHIPPED)
    flags.add_argument("--shares", type=float, nargs="+", default=[1.0, 0.75, 0.5, 0.25])
    args = flags.parse_args(argv)
    scenes, by = held_out(), checker(args.tagger)
    errors = planted(list(planted_copies(scenes, IN_A_SENTENCE, elsewhere(scenes), TRAIN)), by)
    copied = [one for one in copied_explanations(POLITIHOP_VALID) if one.explanation]
    sets = [clean("gold", [one.claim for one in scenes], args.gold, by), clean("rulings", copied, args.rulings, by)]
    for share in args.shares:
        places = choose(errors, sets, share)
        levels = ", ".join(f"{name}={STEPS[at]:.2f}" for name, at in zip(NAMES, places, strict=True))
        print(f"\n{share:.2f} of the shares: {levels}")
        _print("chosen on all", outcome(places, errors, sets))
        for which in (0, 1):
            of_half = choose(*half(errors, sets, which), share)
            _print("chosen on one half, of the other", outcome(of_half, *half(errors, sets, 1 - which)))
    return 0


def _print(head: str, result: Outcome) -> None:
    print(f"  {head}: flagged " + ", ".join(f"{name} {value:.4f}" for name, value in result.flagged.items()))
    print("    " + ", ".join(f"{kind} {value:.3f}" for kind, value in result.recall.items()), flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
