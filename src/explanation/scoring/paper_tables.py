"""The tables of Kim et al. 2024, with our results below: another judge, other claims, checks in place of people."""

from src.evaluation.tables import number, share, table
from src.explanation.scoring import published
from src.explanation.scoring.records import Report

HEADS = [str(protocol) for protocol in published.PROTOCOLS]


def paper_lines(report: Report) -> list[str]:
    lines = ["", "Table 2 of the paper: G-Eval (GPT-4 Turbo, 445 claims of PolitiHop), ours below"]
    lines += table([["", *HEADS], *_geval(report)])
    told = f"by people on {published.EXPLANATIONS} claims; ours: by the checks"
    lines += ["", f"Table 3 of the paper: explanations without errors and errors, {told}", *table(_errors(report))]
    lines += ["", "Table 4 of the paper: Kendall's tau-c of G-Eval with people, ours below"]
    return [*lines, *table([["", *HEADS], ["paper", *map(number, published.TAU)], ["ours", *_taus(report)]])]


def _geval(report: Report) -> list[list[str]]:
    rows = [[f"paper: {name}", *(f"{value:.2f}" for value in values)] for name, values in published.GEVAL.items()]
    scores = {one.protocol: one for one in (report.geval.protocols if report.geval is not None else [])}
    for at, method in enumerate(report.methods):
        means = [scores[one].methods[at].mean if one in scores else None for one in published.PROTOCOLS]
        rows.append([f"ours: {method.name}", *("-" if one is None else f"{one.value:.2f}" for one in means)])
    return rows


def _errors(report: Report) -> list[list[str]]:
    rows = [["", "claims", "% without any", "errors", "errors per explanation"]]
    for name, people in published.HUMAN.items():
        each = f"{people.errors / published.EXPLANATIONS:.2f}"
        rows.append([f"paper: {name}", str(published.EXPLANATIONS), f"{people.faithful:.1f}", str(people.errors), each])
    for method, found in zip(report.methods, report.findings, strict=True):
        figures = [share(found.rates.clean.value), str(sum(found.by_type.values()))]
        each = f"{found.rates.per_explanation.value:.2f}"
        rows.append([f"ours: {method.name}", str(len(report.claims)), *figures, each])
    return rows


def _taus(report: Report) -> list[str]:
    taus = {one.metric: one for one in (report.human.taus if report.human is not None else [])}
    found = [taus.get(f"G-Eval, {protocol}") for protocol in published.PROTOCOLS]
    return ["-" if one is None else number(one.value) for one in found]
