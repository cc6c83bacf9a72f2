"""Report as lines of text; methods are numbered in the given order.

`--paper` adds the published tables of Kim et al. 2024 ("Can LLMs Produce Faithful Explanations For Fact-checking?"),
Tables 2 to 4, with the results of this project below. These have another judge, other claims, and checks in place of
people.

Limitations: the column heads of Table 2 are lost in the published text; the order here is the one that fits the paper's
statements about them.
"""

from collections.abc import Sequence
from typing import NamedTuple

from src.evaluation.bootstrap import Difference, Figure
from src.evaluation.calibration import wilson
from src.evaluation.tables import Section, as_text, difference, interval, number, share, table, verdict
from src.explanation.annotation.screening import Screened
from src.explanation.annotation.summary import agreed_rows
from src.explanation.scoring.people import People, PeopleScores
from src.explanation.scoring.records import (
    Findings,
    GEval,
    Gold,
    Human,
    JudgeScores,
    Method,
    Protocol,
    ProtocolScores,
    Rates,
    Report,
)
from src.explanation.typology import MADR_TYPES
from src.runner.console import how_many

PROTOCOLS = (Protocol.DOCUMENT, Protocol.DOCUMENT_TYPOLOGY, Protocol.SENTENCE, Protocol.SENTENCE_TYPOLOGY)
PAPER_EXPLANATIONS = 20  # judged by people, per method


class PaperHuman(NamedTuple):
    """Published result of people: percentage of explanations without any error, and number of errors, on 20 claims of
    PolitiHop.
    """

    faithful: float
    errors: int


PAPER_GEVAL: dict[str, tuple[float, ...]] = {
    "Zero-shot": (4.87, 4.84, 4.70, 4.92),
    "CoT": (4.86, 4.91, 4.76, 4.96),
    "Self-Refine": (4.70, 4.86, 4.89, 4.81),
    "MADR": (4.82, 4.99, 4.88, 4.97),
}
PAPER_HUMAN = {
    "Zero-shot": PaperHuman(20.0, 25),
    "CoT": PaperHuman(5.0, 42),
    "Self-Refine": PaperHuman(20.0, 32),
    "MADR": PaperHuman(30.0, 17),
}
PAPER_KAPPA = 0.69  # agreement of annotators with an author
PAPER_TAU = (0.008, 0.128, 0.105, 0.150)


def people_sections(people: People) -> list[Section]:
    """Return the tables of a drawn study: the paper's Table 3, errors by type, annotators, and agreement."""
    return [_table_3(people), *_people_types(people), _annotators(people), *_people_agreement(people)]


def _table_3(people: People) -> Section:
    title = "Table 3 of the paper: explanations without errors and errors, by people"
    sizes = ["% without any", "95 % interval", "errors", "errors per explanation", "95 % interval"]
    rows = [["", "claims", *sizes, "less the first's", "ratings alone: % without any", "errors each"]]
    rows += [_paper_row(name, one) for name, one in PAPER_HUMAN.items()]
    rows += [_our_row(one, len(people.claims)) for one in people.methods]
    if not people.methods:
        return Section(title, rows, ["ours: rated by nobody yet whose ratings count, for all methods of a claim"])
    planned = f"{len(people.claims)} of {how_many(people.drawn, 'claim')} drawn with seed {people.seed}"
    joined = f"errors that most of an explanation's {people.annotators_per_claim} annotators ticked"
    few = f"{how_many(people.few, 'explanation')} with fewer annotators than planned"
    return Section(title, rows, [f"ours: {planned}; {joined}; {few}"])


def _paper_row(name: str, one: PaperHuman) -> list[str]:
    size = PAPER_EXPLANATIONS
    ends = interval(wilson(round(one.faithful * size / 100), size), share)
    each = f"{one.errors / size:.2f}"
    return [f"paper: {name}", str(size), f"{one.faithful:.1f}", ends, str(one.errors), each, "", "", "", ""]


def _our_row(one: PeopleScores, claims: int) -> list[str]:
    clean = [share(one.clean.value), interval(one.clean.interval, share)]
    each = [f"{one.each.value:.2f}", interval(one.each.interval, lambda end: f"{end:.2f}")]
    alone = [share(one.clean_alone), f"{one.each_alone:.2f}"]
    return [f"ours: {one.method}", str(claims), *clean, str(one.errors), *each, difference(one.each.to_first), *alone]


def _people_types(people: People) -> list[Section]:
    rows = [["method", *MADR_TYPES]]
    rows += [[one.method, *(str(one.by_type[kind]) for kind in MADR_TYPES)] for one in people.methods]
    return [Section("Errors by type", rows)] if people.methods else []


def _annotators(people: People) -> Section:
    rows = [["annotator", "agreement in each round", "qualified", "controls rated", "agreement on them", "counts"]]
    rows += [_annotator_row(one) for one in people.annotators]
    out = [_out(one) for one in people.annotators if not one.counts]
    title = f"Annotators and the key of {people.author}" if people.author else "Annotators; the study has no key"
    return Section(title, rows, [f"left out: {', '.join(out)}" if out else "left out: nobody"])


def _annotator_row(one: Screened) -> list[str]:
    rounds = ", ".join(f"{value:.2f}" for value in one.rounds)
    counts = [_yes(one.qualified), str(one.controls), _known_share(one.control), _yes(one.counts)]
    return [one.annotator, rounds, *counts]


def _out(one: Screened) -> str:
    if not one.qualified:
        return f"{one.annotator} (not qualified)"
    if one.control is None:
        return f"{one.annotator} (rated no control yet)"
    return f"{one.annotator} ({one.control:.2f} on the controls)"


def _known_share(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _people_agreement(people: People) -> list[Section]:
    note = f"the paper: kappa {number(PAPER_KAPPA)} with an author"
    author = Section("Agreement with the author: Cohen's kappa", agreed_rows(people.with_author), [note])
    among = [*people.among.pairs, *([people.among.everyone] if people.among.everyone is not None else [])]
    title = "Agreement among annotators whose ratings count: Cohen's kappa of two, Fleiss' of more"
    return [*([author] if people.author else []), *([Section(title, agreed_rows(among))] if among else [])]


def geval_lines(geval: GEval) -> list[str]:
    how = f"{geval.samples} samples, temperature {geval.temperature}, seed {geval.seed}"
    if geval.weighted:
        how = "scores weighted by their probability"
    lines = [f"G-Eval by {geval.judge}: {how}, {_read(geval.source_words)}"]
    if geval.weighted and set(geval.ways) - {"label_tokens", "first_tokens"}:
        ways = ", ".join(f"{way} {number}" for way, number in geval.ways.items())
        lines.append(f"not all probabilities are those of the scores themselves: {ways}")
    if geval.failed:
        lines.append(f"{how_many(geval.failed, 'request')} failed; the first error: {geval.first_error}")
    return [*lines, *table(_judge_rows(geval.protocols))]


def _read(source_words: int | None) -> str:
    return (
        "all the evidence" if source_words is None else f"the {source_words} words of the evidence nearest to the claim"
    )


def _judge_rows(protocols: Sequence[ProtocolScores]) -> list[list[str]]:
    heads = ["protocol", "claims", "method", "mean", "95 % interval", "lowest", "highest", "less 1's", ""]
    rows = [[*heads, "undefined", "unparsed", "failed", "calls", "prompt tokens", "new tokens"]]
    for one in protocols:
        for at, rating in enumerate(one.methods, start=1):
            named = [one.protocol, str(one.claims)] if at == 1 else ["", ""]
            rows.append([*named, str(at), *_judge_scores(rating), *_judge_counts(rating)])
    return rows


def _judge_scores(rating: JudgeScores) -> list[str]:
    ends = [number(rating.lowest), number(rating.highest)]
    if rating.mean is None:
        return ["undefined", "", *ends, "", ""]
    to_first = rating.mean.to_first
    compared = [difference(to_first), verdict(to_first, fewer_is_better=False)]
    return [number(rating.mean.value), interval(rating.mean.interval), *ends, *compared]


def _judge_counts(one: JudgeScores) -> list[str]:
    return list(map(str, (one.undefined, one.unparsed, one.failed, one.calls, one.prompt_tokens, one.new_tokens)))


def human_lines(human: Human) -> list[str]:
    counts = f"{human.ratings} rated explanations, {human.missing} missing raters, {human.elsewhere} not compared here"
    head = f"Kendall's tau-c with people's ratings: {human.file} ({counts})"
    methods = [f"method {at}" for at in range(1, 1 + max((len(one.by_method) for one in human.taus), default=0))]
    rows = [["metric", "explanations", "tau-c", "95 % interval", *methods]]
    for one in human.taus:
        ends = "" if one.interval is None else interval(one.interval)
        rows.append([one.metric, str(one.items), number(one.value), ends, *map(number, one.by_method)])
    return [head, *table(rows)]


HEADS = [str(protocol) for protocol in PROTOCOLS]


def paper_lines(report: Report) -> list[str]:
    lines = ["", "Table 2 of the paper: G-Eval (GPT-4 Turbo, 445 claims of PolitiHop), ours below"]
    lines += table([["", *HEADS], *_geval_rows(report)])
    by_whom = f"by people on {PAPER_EXPLANATIONS} claims; ours: by the checks"
    lines += [
        "",
        f"Table 3 of the paper: explanations without errors and errors, {by_whom}",
        *table(_error_rows(report)),
    ]
    lines += ["", "Table 4 of the paper: Kendall's tau-c of G-Eval with people, ours below"]
    return [*lines, *table([["", *HEADS], ["paper", *map(number, PAPER_TAU)], ["ours", *_taus(report)]])]


def _geval_rows(report: Report) -> list[list[str]]:
    rows = [[f"paper: {name}", *(f"{value:.2f}" for value in values)] for name, values in PAPER_GEVAL.items()]
    scores = {one.protocol: one for one in (report.geval.protocols if report.geval is not None else [])}
    for at, method in enumerate(report.methods):
        means = [scores[one].methods[at].mean if one in scores else None for one in PROTOCOLS]
        rows.append([f"ours: {method.name}", *("-" if one is None else f"{one.value:.2f}" for one in means)])
    return rows


def _error_rows(report: Report) -> list[list[str]]:
    rows = [["", "claims", "% without any", "errors", "errors per explanation"]]
    for name, people in PAPER_HUMAN.items():
        each = f"{people.errors / PAPER_EXPLANATIONS:.2f}"
        rows.append([f"paper: {name}", str(PAPER_EXPLANATIONS), f"{people.faithful:.1f}", str(people.errors), each])
    for method, findings in zip(report.methods, report.findings, strict=True):
        figures = [share(findings.rates.clean.value), str(sum(findings.by_type.values()))]
        each = f"{findings.rates.per_explanation.value:.2f}"
        rows.append([f"ours: {method.name}", str(len(report.claims)), *figures, each])
    return rows


def _taus(report: Report) -> list[str]:
    taus = {one.metric: one for one in (report.human.taus if report.human is not None else [])}
    in_order = [taus.get(f"G-Eval, {protocol}") for protocol in PROTOCOLS]
    return ["-" if one is None else number(one.value) for one in in_order]


def render(report: Report, *, with_paper: bool) -> list[str]:
    """Return all lines of the report; `with_paper` adds the published tables."""
    lines = [_head(at, one) for at, one in enumerate(report.methods, start=1)]
    lines += ["", f"Findings of the checks: {how_many(len(report.claims), 'claim')}, the same for all methods"]
    lines += [*table(_finding_rows(report.findings)), "", "Findings by type", *table(_type_rows(report.findings))]
    if any(one.before is not None for one in report.findings):
        lines += ["", "Findings before and after refinement", *table(_refined_rows(report.findings))]
    lines += ["", "Cost of an explanation, draft included if known (-: not known)", *table(_cost_rows(report.methods))]
    if report.gold is not None:
        lines += ["", *_gold(report.gold)]
    if report.geval is not None:
        lines += ["", *geval_lines(report.geval)]
    if report.human is not None:
        lines += ["", *human_lines(report.human)]
    if report.people is not None:
        lines += ["", *as_text(people_sections(report.people))]
    return [*lines, *(paper_lines(report) if with_paper else [])]


def _head(at: int, one: Method) -> str:
    empty = f", {one.empty} of them without an explanation" if one.empty else ""
    return f"{at}: {one.name} ({one.file}, {how_many(one.claims, 'claim')}{empty})"


def _finding_rows(findings: Sequence[Findings]) -> list[list[str]]:
    rows = [["method", "sentences", "words each", "findings", *_RATES, "findings less 1's", ""]]
    for at, one in enumerate(findings, start=1):
        to_first = one.rates.per_explanation.to_first
        sizes = [str(at), str(one.sentences), f"{one.words:.1f}", str(sum(one.by_type.values()))]
        rows.append([*sizes, *_rates(one.rates), difference(to_first), verdict(to_first, fewer_is_better=True)])
    return rows


_RATES = ("per explanation", "95 % interval", "per sentence", "95 % interval", "% without any", "95 % interval")


def _rates(rates: Rates) -> list[str]:
    plain = [text for one in (rates.per_explanation, rates.per_sentence) for text in _figure(one)]
    return [*plain, share(rates.clean.value), interval(rates.clean.interval, share)]


def _figure(figure: Figure) -> list[str]:
    return [number(figure.value), interval(figure.interval, number)]


def _type_rows(findings: Sequence[Findings]) -> list[list[str]]:
    rows = [["type", *(f"method {at}" for at in range(1, len(findings) + 1))]]
    return rows + [[kind.full_name, *(str(one.by_type[kind]) for one in findings)] for kind in MADR_TYPES]


def _refined_rows(findings: Sequence[Findings]) -> list[list[str]]:
    rows = [["method", "", *_RATES, "after less before", ""]]
    for at, one in enumerate(findings, start=1):
        if one.before is not None and one.refined is not None:
            changed = one.refined.per_explanation.to_first
            compared = [difference(changed), verdict(changed, fewer_is_better=True)]
            rows.append([str(at), "before", *_rates(one.before), "", ""])
            rows.append(["", "after", *_rates(one.refined), *compared])
    return rows


def _cost_rows(methods: Sequence[Method]) -> list[list[str]]:
    rows = [["method", "calls", "prompt tokens", "new tokens", "seconds"]]
    for at, one in enumerate(methods, start=1):
        cost = one.cost
        counts = [_known(cost.calls, 2), _known(cost.prompt_tokens, 0), _known(cost.new_tokens, 0)]
        rows.append([str(at), *counts, _known(cost.seconds, 2)])
    return rows


def _known(value: float | None, places: int) -> str:
    return "-" if value is None else f"{value:.{places}f}"


def _gold(gold: Gold) -> list[str]:
    without = f" ({gold.without} have none)" if gold.without else ""
    head = f"METEOR of the justification, over {how_many(gold.claims, 'claim')} with a gold one{without}: {gold.file}"
    levels = list(gold.methods[0].levels)
    rows = [["method", "METEOR", "95 % interval", "less 1's", "less its baseline", *(f"@ {level}" for level in levels)]]
    for at, one in enumerate(gold.methods, start=1):
        over: Difference | None = one.over_baseline.to_first
        scores = [*_figure(one.meteor), difference(one.meteor.to_first), difference(over)]
        rows.append([str(at), *scores, *(number(one.levels[level]) for level in levels)])
        baseline = [number(one.baseline), "", "", "", *(number(one.baseline_levels[level]) for level in levels)]
        rows.append(["  baseline", *baseline])
    note = "@ L: 0 where the evidence score is not above L; baseline: the evidence's questions and answers in its place"
    return [head, *table(rows), note]
