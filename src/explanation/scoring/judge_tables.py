"""G-Eval, and its agreement with people's ratings, as lines of text."""

from collections.abc import Sequence

from src.evaluation.tables import difference, interval, number, table, verdict
from src.explanation.scoring.judge_records import GEval, ProtocolScores, Rating
from src.explanation.scoring.records import Human
from src.runner.console import how_many


def geval_lines(found: GEval) -> list[str]:
    how = f"{found.samples} samples, temperature {found.temperature}, seed {found.seed}"
    if found.weighted:
        how = "scores weighted by their probability"
    lines = [f"G-Eval by {found.judge}: {how}, {_read(found.source_words)}"]
    if found.weighted and set(found.found) - {"label_tokens", "first_tokens"}:
        ways = ", ".join(f"{way} {number}" for way, number in found.found.items())
        lines.append(f"not all probabilities are those of the scores themselves: {ways}")
    if found.failed:
        lines.append(f"{how_many(found.failed, 'request')} failed; the first error: {found.first_error}")
    return [*lines, *table(_rows(found.protocols))]


def _read(source_words: int | None) -> str:
    return (
        "all the evidence" if source_words is None else f"the {source_words} words of the evidence nearest to the claim"
    )


def _rows(protocols: Sequence[ProtocolScores]) -> list[list[str]]:
    heads = ["protocol", "claims", "method", "mean", "95 % interval", "lowest", "highest", "less 1's", ""]
    rows = [[*heads, "undefined", "unparsed", "failed", "calls", "prompt tokens", "new tokens"]]
    for one in protocols:
        for at, rating in enumerate(one.methods, start=1):
            named = [one.protocol, str(one.claims)] if at == 1 else ["", ""]
            rows.append([*named, str(at), *_scores(rating), *_counts(rating)])
    return rows


def _scores(rating: Rating) -> list[str]:
    ends = [number(rating.lowest), number(rating.highest)]
    if rating.mean is None:
        return ["undefined", "", *ends, "", ""]
    to_first = rating.mean.to_first
    told = [difference(to_first), verdict(to_first, fewer_is_better=False)]
    return [number(rating.mean.value), interval(rating.mean.interval), *ends, *told]


def _counts(one: Rating) -> list[str]:
    return list(map(str, (one.undefined, one.unparsed, one.failed, one.calls, one.prompt_tokens, one.new_tokens)))


def human_lines(found: Human) -> list[str]:
    counts = f"{found.ratings} rated explanations, {found.missing} missing raters, {found.elsewhere} not compared here"
    head = f"Kendall's tau-c with people's ratings: {found.file} ({counts})"
    methods = [f"method {at}" for at in range(1, 1 + max((len(one.by_method) for one in found.taus), default=0))]
    rows = [["metric", "explanations", "tau-c", "95 % interval", *methods]]
    for one in found.taus:
        ends = "" if one.interval is None else interval(one.interval)
        rows.append([one.metric, str(one.items), number(one.value), ends, *map(number, one.by_method)])
    return [head, *table(rows)]
