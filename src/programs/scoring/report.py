"""Report on the scores of one or more trace files of the same claims, as a record. Scores and shares are 0 to 1.

A trace is the record of a claim's executed programs. Recall at k is the share of a claim's gold pages that its steps
have found. The hits of all steps of all programs are merged. A page counts once, with its best score, and the k best
pages are compared with the gold titles:

    recall@k = |gold titles among the k best| / |gold titles|, mean over the claims

ProgramFC, section 4.2 and Figure 5: the ten best of the paragraphs of all steps count. The paper does not say how they
are ranked together; the ranking by best score is our reading.

Limitations: scores of different steps are compared unchanged. A step's sentences count for the page that contains them.
Trace files of different claims are rejected, not reduced to their common claims.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
import numpy as np

from src.claims import LabelledClaim, plain_title, with_keys
from src.errors import InputError
from src.evaluation.bootstrap import Figure, Floats, figures, mean_of, once
from src.programs.annotation.classes import People
from src.programs.program_files import located_traces
from src.programs.records import ClaimTrace, StepEvidence
from src.programs.scoring.error_classes import Conduct, by_challenge, by_hops, conduct
from src.programs.scoring.two_labels import Baselines, accuracy, baselines, guesses, macro_f1, supported
from src.records import Value
from src.runner.claim_range import in_words
from src.text import folded

NAMED = 5  # claims that an error message lists


class Joined(msgspec.Struct, frozen=True):
    """Claims that are scored, with their traces.

    `golds`: the claims, with gold labels.
    `traces`: `traces[s][n]` is the trace of `golds[n]` in trace file s.
    """

    golds: list[LabelledClaim]
    traces: list[list[ClaimTrace]]


def join(golds: list[LabelledClaim], gold_file: Path, trace_files: Sequence[Path], ids: Path | None) -> Joined:
    """Return the claims that are scored, in the order of the gold file, with their traces.

    If the file `ids` is given, it names the claims; else they are those of the first trace file. Raises InputError when
    a trace belongs to no gold claim, when its text differs from the gold claim's, or when a claim has no trace. Without
    `ids` it is also raised when the trace files have different claims.
    """
    by_id = {gold.claim_id: gold for gold in golds}
    by_file = [_traces(path, by_id, gold_file) for path in trace_files]
    if not by_file[0]:
        raise InputError("contains no claims to score", path=trace_files[0])
    wanted = with_keys(golds, ids) if ids is not None else [gold for gold in golds if gold.claim_id in by_file[0]]
    chosen = {gold.claim_id for gold in wanted}
    for path, traces in zip(trace_files, by_file, strict=True):
        _refuse(chosen - traces.keys(), "have no trace here", path)
        if ids is None:
            _refuse(traces.keys() - chosen, f"have no trace in {trace_files[0]}; name the claims with --ids", path)
    return Joined(wanted, [[traces[gold.claim_id] for gold in wanted] for traces in by_file])


def _traces(path: Path, golds: dict[int, LabelledClaim], gold_file: Path) -> dict[int, ClaimTrace]:
    traces = located_traces(path)
    for line, trace in traces:
        gold = golds.get(trace.claim_id)
        if gold is None or folded(gold.claim) != folded(trace.claim):
            message = f"claim {trace.claim_id} is not the one of {gold_file}"
            raise InputError(message, path=path, line=line, field="claim")
    return {trace.claim_id: trace for _, trace in traces}


def _refuse(claims: set[int], why: str, path: Path) -> None:
    """Raise InputError if `claims` is not empty; the message lists the first claims and the reason."""
    if claims:
        rest = f" and {len(claims) - NAMED} more" if len(claims) > NAMED else ""
        raise InputError(f"claims {in_words(sorted(claims)[:NAMED])}{rest} {why}", path=path)


CUTS = (3, 5, 10)


def recalls(golds: Sequence[LabelledClaim], traces: Sequence[ClaimTrace], k: int) -> Floats:
    """Return the recall at k of each claim, shape [claims]. Every claim must have gold titles."""
    return np.array([_claim_recall(gold.titles, pages(trace)[:k]) for gold, trace in zip(golds, traces, strict=True)])


def found_other_pages(golds: Sequence[LabelledClaim], traces: Sequence[ClaimTrace]) -> bool:
    """Return True if any step has evidence from a page that is not a gold page of its claim.

    It then retrieved its evidence; steps with gold evidence see no other pages.
    """
    return any(
        not set(pages(trace)) <= {plain_title(title) for title in gold.titles}
        for gold, trace in zip(golds, traces, strict=True)
    )


def pages(trace: ClaimTrace) -> list[str]:
    """Return the titles of the pages in a trace's evidence, best score first; ties keep their order.

    Evidence without a page is skipped.
    """
    best: dict[str, float] = {}
    for hit in _hits(trace):
        title = plain_title(hit.url)
        best[title] = max(hit.score, best.get(title, hit.score))
    return sorted(best, key=lambda title: -best[title])


def _hits(trace: ClaimTrace) -> Iterable[StepEvidence]:
    return (hit for program in trace.programs for step in program.steps for hit in step.evidence if hit.url)


def _claim_recall(titles: Sequence[str], retrieved: Sequence[str]) -> float:
    gold = {plain_title(title) for title in titles}
    return len(gold & set(retrieved)) / len(gold)


class TraceScore(msgspec.Struct, frozen=True):
    """Scores of a trace file on a group of claims.

    `macro_f1`, `accuracy`: scores over all claims of the group, 0 to 1, with intervals.
    `unknown`, `conflicting`: shares of claims with this value, 0 to 1.
    `decided`: number of claims that are true or false.
    `decided_macro_f1`: macro-F1 over these claims; None without any.
    """

    macro_f1: Figure
    accuracy: Figure
    unknown: float
    conflicting: float
    decided: int
    decided_macro_f1: float | None


class GroupScore(msgspec.Struct, frozen=True):
    """Scores of all trace files on a group of claims.

    `claims`: number of claims.
    `supports`: number of claims with the label `supports`.
    `traces`: scores of each trace file, in order.
    `baselines`: scores of the trivial baselines.
    """

    group: str
    claims: int
    supports: int
    traces: list[TraceScore]
    baselines: Baselines = msgspec.field(name="floors")


class GroupRecall(msgspec.Struct, frozen=True):
    """Recall of gold pages at k on a group of claims.

    `claims`: number of claims with gold pages.
    `k`: number of pages that count.
    `traces`: recall of each trace file that is listed in the report's `retrieving`.
    """

    group: str
    claims: int
    k: int
    traces: list[Figure]


class Report(msgspec.Struct, frozen=True):
    """Report on the scores of one or more trace files; it is printed, and written with --json.

    `traces`: names of the trace files.
    `claims`: number of claims.
    `scores`: scores on each group of claims.
    `retrieving`: indexes (from 0) of the trace files with evidence from other pages than the gold ones; the others had
        no evidence or were given it, and have no recall.
    `recall`: recall of these trace files on each group of claims.
    `conduct`: statistics of each trace file.
    `people`: error classes that people chose for the wrong predictions; only with a single trace file.
    """

    traces: list[str]
    claims: int
    scores: list[GroupScore]
    retrieving: list[int]
    recall: list[GroupRecall]
    conduct: list[Conduct]
    people: People | None = None


def report(joined: Joined, names: Sequence[str], tune: Sequence[LabelledClaim], seed: int) -> Report:
    """Return the report on the joined trace files, which are called `names`.

    `tune` are claims on which the lexical baseline is fitted; it may be empty. `seed` fixes the resampling. Raises
    InputError when `tune` has too few claims.
    """
    golds, traces = joined.golds, joined.traces
    novelty = guesses(golds, tune, seed) if tune else []
    groups = by_hops(golds) | by_challenge(golds)
    retrieving = [at for at, one in enumerate(traces) if found_other_pages(golds, one)]
    return Report(
        traces=list(names),
        claims=len(golds),
        scores=[_scores(name, places, joined, novelty, seed) for name, places in groups.items()],
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
        baselines=baselines(golds, [predicted[list(places)] for predicted in novelty]),
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
    known, selected = [golds[at] for at in titled], [[one[at] for at in titled] for one in traces]
    if not known:
        return []
    values = {k: [recalls(known, one, k) for one in selected] for k in CUTS}
    return [
        GroupRecall(name, len(places), k, figures([mean_of(one[places]) for one in values[k]], len(places), seed))
        for name, places in by_hops(known).items()
        for k in CUTS
    ]
