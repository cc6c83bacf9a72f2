"""Summary of a study as lines of text."""

from collections.abc import Sequence

from src.evaluation.tables import number, share, table
from src.explanation.annotation.summary import Agreed, Counted, Summary
from src.explanation.typology import MADR_TYPES


def render(found: Summary) -> list[str]:
    agreed = [*found.pairs, *([found.everyone] if found.everyone is not None else [])]
    lines = ["Errors that annotators ticked", *table(_counted_rows(found.counted)), ""]
    if not agreed:
        return [*lines, "Agreement: undefined, there is one annotator"]
    return [*lines, "Agreement beyond chance: Cohen's kappa of two, Fleiss' of more", *table(agreed_rows(agreed))]


def _counted_rows(found: Sequence[Counted]) -> list[list[str]]:
    sizes = ["ratings", "% without any", "rated sentences", "errors"]
    rows = [["annotator", "method", *sizes, *MADR_TYPES, "seconds each"]]
    for one in found:
        sizes = [str(one.ratings), share(one.clean / one.ratings), str(one.sentences), str(one.errors)]
        types = [str(one.by_type[kind]) for kind in MADR_TYPES]
        rows.append([one.annotator, one.method, *sizes, *types, f"{one.seconds:.0f}"])
    return rows


def agreed_rows(found: Sequence[Agreed]) -> list[list[str]]:
    rows = [["annotators", "explanations", "kappa, any error in a sentence", "kappa, each type in a sentence"]]
    for one in found:
        kappas = [number(one.sentence_kappa), number(one.type_kappa)]
        rows.append([", ".join(one.annotators), str(one.explanations), *kappas])
    return rows
