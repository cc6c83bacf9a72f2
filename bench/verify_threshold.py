"""One verify of the claim as a whole, its threshold chosen on other claims: how it does beside programs.

    python -m bench.verify_threshold --tune TRACE --report TRACE [PROGRAMS_TRACE] --gold FILE

`src.programs.execute_programs --whole_claim` calls a claim true from a probability of .5, which need not suit a model.
From the claims for tuning comes the threshold of best macro-F1, a midpoint between neighbouring probabilities, of
equals the nearest to .5. The claims to report, by hops, then have their scores at .5, at that threshold, and at the
median of their own probabilities, which needs no labels; beside them those of programs, with the differences.
Results go to `bench/results/verify_threshold.json`, by the name of the trace that is reported.

Limitations: only for traces by a language model, whose confidence in a value is its probability. A claim that is
unknown has none and counts as not true at every threshold.
"""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np

from src.atomic_file import write_whole
from src.claims import read_labelled_claims
from src.errors import InputError
from src.evaluation.bootstrap import Difference, Figure, Floats, Statistic, figures, once
from src.programs.records import ClaimTrace, Function
from src.programs.scoring.error_classes import by_hops
from src.programs.scoring.report import Joined, join
from src.programs.scoring.two_labels import accuracy, macro_f1, supported
from src.records import Value
from src.runner.step import step
from src.settings import Flag
from src.store import read_json

RESULTS = Path("bench/results/verify_threshold.json")
USUAL = 0.5
SEED = 0


class Score(msgspec.Struct, frozen=True):
    """One verify, cut at a threshold, over the claims of a group; programs over the same claims, where there are any,
    and how far these lie from it (`to_first`)."""

    group: str
    claims: int
    cut: str
    threshold: float
    macro_f1: Figure
    accuracy: Figure
    programs_macro_f1: Figure | None
    programs_accuracy: Figure | None


class Tried(msgspec.Struct, frozen=True):
    """`traces` are the one reported and that of programs, `tune_macro_f1` that of the threshold chosen."""

    tune: str
    traces: list[str]
    tune_claims: int
    tune_macro_f1: float
    scores: list[Score]


def probabilities(traces: Sequence[ClaimTrace], path: Path) -> Floats:
    """[claims]: of true. Raises InputError for a trace of anything but one verify."""
    return np.array([_probability(trace, path) for trace in traces])


def _probability(trace: ClaimTrace, path: Path) -> float:
    steps = [one for program in trace.programs for one in program.steps]
    if [one.function for one in steps] != [Function.VERIFY]:
        raise InputError(f"claim {trace.claim_id} was not verified as a whole (--whole_claim)", path=path)
    if trace.value is Value.TRUE:
        return steps[0].confidence
    return 1 - steps[0].confidence if trace.value is Value.FALSE else 0.0


def chosen(gold: Floats, true: Floats) -> float:
    """The threshold of best macro-F1. Raises InputError where all claims are as probable."""
    between = [float(low + high) / 2 for low, high in pairwise(np.unique(true))]
    if not between:
        raise InputError("--tune: no threshold can be chosen, all claims have one probability of being true")
    return max(between, key=lambda at: (score_at(gold, true, at), -abs(at - USUAL)))


def score_at(gold: Floats, true: Floats, threshold: float) -> float:
    return once(macro_f1(gold, cut_at(true, threshold)), len(gold))


def cut_at(true: Floats, threshold: float) -> Floats:
    """[claims]: 1 from the threshold on, as in `by_language_model`; a claim without a probability never."""
    return ((true >= threshold) & (true > 0)).astype(np.float64)


def tried(tune: Joined, joined: Joined, tune_file: Path, files: Sequence[Path]) -> Tried:
    """Return the scores at the chosen threshold. Raises InputError if a claim is both tuned on and reported."""
    both = {one.claim_id for one in tune.golds} & {one.claim_id for one in joined.golds}
    if both:
        raise InputError(f"{len(both)} of its claims, such as {min(both)}, stand in {files[0]}, too", path=tune_file)
    tuned, known = supported(one.value for one in tune.golds), probabilities(tune.traces[0], tune_file)
    best, true = chosen(tuned, known), probabilities(joined.traces[0], files[0])
    cuts = {"usual": USUAL, "chosen": best, "median": float(np.median(true))}
    scores = [
        _score(group, places, joined, cut_at(true, at), (name, at))
        for group, places in by_hops(joined.golds).items()
        for name, at in cuts.items()
    ]
    return Tried(tune_file.stem, [one.stem for one in files], len(tuned), score_at(tuned, known, best), scores)


def _score(group: str, places: Sequence[int], joined: Joined, cut: Floats, named: tuple[str, float]) -> Score:
    gold = supported(joined.golds[at].value for at in places)
    programs = [supported(one[at].value for at in places) for one in joined.traces[1:]]
    guesses = [cut[list(places)], *programs]
    f1, f1_of_programs = _figures([macro_f1(gold, one) for one in guesses], len(places))
    right, right_of_programs = _figures([accuracy(gold, one) for one in guesses], len(places))
    return Score(group, len(places), *named, f1, right, f1_of_programs, right_of_programs)


def _figures(statistics: Sequence[Statistic], claims: int) -> tuple[Figure, Figure | None]:
    first, *programs = figures(statistics, claims, SEED)
    return first, programs[0] if programs else None


def show(one: Tried) -> str:
    """Return the scores as Markdown, in percent."""
    heads = ["claims", "threshold", "macro-F1", "programs", "less", "accuracy", "programs", "less"]
    rows = [_cells(score) for score in one.scores]
    heading = f"best macro-F1 over {one.tune_claims} claims of {one.tune}: {percent(one.tune_macro_f1)}"
    return "\n".join([heading, "", *(line(row) for row in [heads, ["---"] * len(heads), *rows])])


def _cells(one: Score) -> list[str]:
    f1, right = _beside(one.macro_f1, one.programs_macro_f1), _beside(one.accuracy, one.programs_accuracy)
    return [f"{one.claims}, {one.group}", f"{one.cut}, {one.threshold:.4f}", *f1, *right]


def _beside(single: Figure, programs: Figure | None) -> list[str]:
    more = ["", ""] if programs is None else [figure_cell(programs), difference_cell(programs.to_first)]
    return [figure_cell(single), *more]


def figure_cell(one: Figure) -> str:
    low, high = one.interval
    return f"{percent(one.value)} ({percent(low)}\N{EN DASH}{percent(high)})"


def difference_cell(one: Difference | None) -> str:
    if one is None:
        return ""
    low, high = one.interval
    return f"{_signed(one.value)} ({_signed(low)} to {_signed(high)})"


def percent(value: float) -> str:
    return f"{100 * value:.1f}"


def _signed(value: float) -> str:
    return f"{100 * value:+.1f}".replace("-", "\N{MINUS SIGN}")


def line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


class ThresholdSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the benchmark."""

    tune: Annotated[Path, Flag("claims verified as wholes", metavar="TRACE")]
    report: Annotated[
        tuple[Path, ...],
        Flag("other claims verified as wholes; then programs of the same claims", metavar="TRACE"),
    ]
    gold: Annotated[Path, Flag("HOVER's claims")]


@step(ThresholdSettings)
def main(settings: ThresholdSettings) -> int:
    if len(settings.report) > 2:
        raise InputError("--report: takes one trace of claims as wholes and one of programs")
    golds = read_labelled_claims(settings.gold)
    tune, joined = (join(golds, settings.gold, files, None) for files in ([settings.tune], settings.report))
    result = tried(tune, joined, settings.tune, settings.report)
    print(show(result))
    rows = read_json(RESULTS, dict[str, Tried]) if RESULTS.exists() else {}
    rows[settings.report[0].stem] = result
    write_whole(RESULTS, msgspec.json.format(msgspec.json.encode(rows), indent=2) + b"\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
