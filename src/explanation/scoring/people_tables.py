"""Tables of a study's results, with the paper's figures beside ours."""

from src.evaluation.calibration import wilson
from src.evaluation.tables import Section, difference, interval, number, share
from src.explanation.annotation.screening import Screened
from src.explanation.annotation.tables import agreed_rows
from src.explanation.scoring import published
from src.explanation.scoring.people import Judged, People
from src.explanation.typology import MADR_TYPES
from src.runner.console import how_many


def sections(found: People) -> list[Section]:
    """Return Table 3, then the errors by type, the annotators and their agreement."""
    return [_table_3(found), *_types(found), _annotators(found), *_agreement(found)]


def _table_3(found: People) -> Section:
    title = "Table 3 of the paper: explanations without errors and errors, by people"
    sizes = ["% without any", "95 % interval", "errors", "errors per explanation", "95 % interval"]
    rows = [["", "claims", *sizes, "less the first's", "ratings alone: % without any", "errors each"]]
    rows += [_paper_row(name, one) for name, one in published.HUMAN.items()]
    rows += [_our_row(one, len(found.claims)) for one in found.methods]
    if not found.methods:
        return Section(title, rows, ["ours: rated by nobody yet whose ratings count, for all methods of a claim"])
    planned = f"{len(found.claims)} of {how_many(found.drawn, 'claim')} drawn with seed {found.seed}"
    joined = f"errors that most of an explanation's {found.annotators_per_claim} annotators ticked"
    few = f"{how_many(found.few, 'explanation')} with fewer annotators than planned"
    return Section(title, rows, [f"ours: {planned}; {joined}; {few}"])


def _paper_row(name: str, one: published.Human) -> list[str]:
    size = published.EXPLANATIONS
    ends = interval(wilson(round(one.faithful * size / 100), size), share)
    each = f"{one.errors / size:.2f}"
    return [f"paper: {name}", str(size), f"{one.faithful:.1f}", ends, str(one.errors), each, "", "", "", ""]


def _our_row(one: Judged, claims: int) -> list[str]:
    clean = [share(one.clean.value), interval(one.clean.interval, share)]
    each = [f"{one.each.value:.2f}", interval(one.each.interval, lambda end: f"{end:.2f}")]
    alone = [share(one.clean_alone), f"{one.each_alone:.2f}"]
    return [f"ours: {one.method}", str(claims), *clean, str(one.errors), *each, difference(one.each.to_first), *alone]


def _types(found: People) -> list[Section]:
    rows = [["method", *MADR_TYPES]]
    rows += [[one.method, *(str(one.by_type[kind]) for kind in MADR_TYPES)] for one in found.methods]
    return [Section("Errors by type", rows)] if found.methods else []


def _annotators(found: People) -> Section:
    rows = [["annotator", "agreement in each round", "qualified", "controls rated", "agreement on them", "counts"]]
    rows += [_annotator_row(one) for one in found.annotators]
    out = [_out(one) for one in found.annotators if not one.counts]
    title = f"Annotators and the key of {found.author}" if found.author else "Annotators; the study has no key"
    return Section(title, rows, [f"left out: {', '.join(out)}" if out else "left out: nobody"])


def _annotator_row(one: Screened) -> list[str]:
    rounds = ", ".join(f"{value:.2f}" for value in one.rounds)
    counts = [_yes(one.qualified), str(one.controls), _known(one.control), _yes(one.counts)]
    return [one.annotator, rounds, *counts]


def _out(one: Screened) -> str:
    if not one.qualified:
        return f"{one.annotator} (not qualified)"
    if one.control is None:
        return f"{one.annotator} (rated no control yet)"
    return f"{one.annotator} ({one.control:.2f} on the controls)"


def _known(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _agreement(found: People) -> list[Section]:
    note = f"the paper: kappa {number(published.AUTHOR_KAPPA)} with an author"
    author = Section("Agreement with the author: Cohen's kappa", agreed_rows(found.with_author), [note])
    among = [*found.among.pairs, *([found.among.everyone] if found.among.everyone is not None else [])]
    title = "Agreement among annotators whose ratings count: Cohen's kappa of two, Fleiss' of more"
    return [*([author] if found.author else []), *([Section(title, agreed_rows(among))] if among else [])]
