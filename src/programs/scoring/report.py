"""Report on one or more traces of the same claims, as a record. Scores and shares are 0 to 1.

`tables.py` renders it as text.
"""

from collections.abc import Sequence

import msgspec
import numpy as np

from src.claims.labelled import LabelledClaim
from src.evaluation.bootstrap import Figure, Floats, figures, mean_of, once
from src.programs.records import ClaimTrace
from src.programs.scoring import lexical_novelty
from src.programs.scoring.conduct import Conduct, conduct
from src.programs.scoring.floors import Floors, floors
from src.programs.scoring.groups import by_challenge, by_hops
from src.programs.scoring.joined import Joined
from src.programs.scoring.page_recall import CUTS, found_other_pages, recalls
from src.programs.scoring.people import People
from src.programs.scoring.two_labels import accuracy, macro_f1, supported
from src.records import Value


class TraceScore(msgspec.Struct, frozen=True):
    """The score of a trace on a group. `decided_macro_f1` is over the `decided` claims alone; None without any."""

    macro_f1: Figure
    accuracy: Figure
    unknown: float
    conflicting: float
    decided: int
    decided_macro_f1: float | None


class GroupScore(msgspec.Struct, frozen=True):
    """The claims of a group, the number of `supports` among them, and the score of each trace, in order."""

    group: str
    claims: int
    supports: int
    traces: list[TraceScore]
    floors: Floors


class GroupRecall(msgspec.Struct, frozen=True):
    """Recall at k over the claims with gold pages; `traces` are those in the report's `retrieving`."""

    group: str
    claims: int
    k: int
    traces: list[Figure]


class Report(msgspec.Struct, frozen=True):
    """The report.

    `retrieving` are the places of the traces whose steps have evidence from other pages than the gold ones. The others
    had no evidence or were given it, and have no recall. `people` are the classes of the only trace's wrong
    predictions.
    """

    traces: list[str]
    claims: int
    scores: list[GroupScore]
    retrieving: list[int]
    recall: list[GroupRecall]
    conduct: list[Conduct]
    people: People | None = None


def report(joined: Joined, names: Sequence[str], tune: Sequence[LabelledClaim], seed: int) -> Report:
    """Return the report. `tune` are the claims that the lexical baseline is fitted on; it may be empty.

    Raises InputError when `tune` has too few claims.
    """
    golds, traces = joined.golds, joined.traces
    novelty = lexical_novelty.guesses(golds, tune, seed) if tune else []
    found = by_hops(golds) | by_challenge(golds)
    retrieving = [at for at, one in enumerate(traces) if found_other_pages(golds, one)]
    return Report(
        traces=list(names),
        claims=len(golds),
        scores=[_scores(name, places, joined, novelty, seed) for name, places in found.items()],
        retrieving=retrieving,
        recall=_recall(golds, [traces[at] for at in retrieving], seed) if retrieving else [],
        conduct=[conduct(golds, one) for one in traces],
    )


def _scores(group: str, places: Sequence[int], joined: Joined, novelty: Sequence[Floats], seed: int) -> GroupScore:
    golds = [joined.golds[at] for at in places]
    values = [[one[at].value for at in places] for one in joined.traces]
    gold = supported(claim.value for claim in golds)
    f1 = figures([macro_f1(gold, supported(one)) for one in values], len(golds), seed)
    right = figures([accuracy(gold, supported(one)) for one in values], len(golds), seed)
    return GroupScore(
        group=group,
        claims=len(golds),
        supports=int(gold.sum()),
        traces=[_trace_score(gold, *one) for one in zip(values, f1, right, strict=True)],
        floors=floors(golds, [said[list(places)] for said in novelty]),
    )


def _trace_score(gold: Floats, values: Sequence[Value], f1: Figure, right: Figure) -> TraceScore:
    decided = np.array([value in (Value.TRUE, Value.FALSE) for value in values])
    alone = macro_f1(gold[decided], supported(values)[decided])
    return TraceScore(
        macro_f1=f1,
        accuracy=right,
        unknown=values.count(Value.UNKNOWN) / len(values),
        conflicting=values.count(Value.CONFLICTING) / len(values),
        decided=int(decided.sum()),
        decided_macro_f1=once(alone, int(decided.sum())) if decided.any() else None,
    )


def _recall(golds: Sequence[LabelledClaim], traces: Sequence[Sequence[ClaimTrace]], seed: int) -> list[GroupRecall]:
    titled = [at for at, gold in enumerate(golds) if gold.titles]
    known, found = [golds[at] for at in titled], [[one[at] for at in titled] for one in traces]
    if not known:
        return []
    values = {k: [recalls(known, one, k) for one in found] for k in CUTS}
    return [
        GroupRecall(name, len(places), k, figures([mean_of(one[places]) for one in values[k]], len(places), seed))
        for name, places in by_hops(known).items()
        for k in CUTS
    ]
