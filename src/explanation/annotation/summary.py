"""Summary of ratings: the errors that annotators ticked, and the agreement of the annotators.

There are two kappas. The first compares one answer per sentence: has it any error? The second compares nine answers per
sentence: has it an error of this type?
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from statistics import median

import msgspec

from src.errors import InputError
from src.evaluation.agreement import cohen_kappa, fleiss_kappa
from src.evaluation.tables import number, share, table
from src.explanation.annotation.ratings import Rating, Text
from src.explanation.typology import MADR_TYPES, ErrorType

EVERYONE = "(all)"  # cannot be an annotator's name
TextOf = tuple[int, Text]  # claim_id and text; several methods may have written the same text


class Counted(msgspec.Struct, frozen=True):
    """Counts of one annotator's ratings of one method.

    `ratings`: number of rated explanations.
    `sentences`: number of their sentences.
    `clean`: rated explanations in which no error was ticked.
    `errors`: number of ticked errors.
    `by_type`: number of ticked errors of each type.
    `seconds`: median time of a rating.
    """

    annotator: str
    method: str
    ratings: int
    sentences: int
    clean: int
    errors: int
    by_type: dict[ErrorType, int]
    seconds: float


class Agreed(msgspec.Struct, frozen=True):
    """Agreement of annotators on the explanations that at least two of them rated.

    `annotators`: their names.
    `explanations`: number of explanations that were compared.
    `sentence_kappa`: kappa of "the sentence has an error"; None if undefined.
    `type_kappa`: kappa of "the sentence has an error of this type"; None if undefined.
    """

    annotators: list[str]
    explanations: int
    sentence_kappa: float | None
    type_kappa: float | None


class Summary(msgspec.Struct, frozen=True):
    """Counts and agreement of all annotators.

    `counted`: counts by annotator and method.
    `pairs`: agreement of each two annotators (Cohen's kappa).
    `everyone`: agreement of all annotators (Fleiss' kappa); None if there are fewer than three.
    """

    counted: list[Counted]
    pairs: list[Agreed]
    everyone: Agreed | None


def own(ratings: Sequence[Rating], annotator: str) -> Counted:
    """Return the counts of one annotator over all methods (`method` is empty); a text that several methods wrote counts
    once.

    Raises InputError if the annotator has rated nothing.
    """
    by_text = {(one.claim_id, one.text): one for one in ratings if one.annotator == annotator}
    if not by_text:
        raise InputError("has rated nothing yet", field="annotator")
    return _counted(annotator, "", list(by_text.values()))


def summary(ratings: Sequence[Rating]) -> Summary:
    """Return the counts of each annotator and of all together, by method, and the agreement of the annotators.

    For the agreement, a text that several methods wrote counts once.
    """
    by_annotator: dict[str, dict[TextOf, Rating]] = defaultdict(dict)
    for one in ratings:
        by_annotator[one.annotator][one.claim_id, one.text] = one
    names = sorted(by_annotator)
    pairs = [_pair(first, second, by_annotator) for first, second in combinations(names, 2)]
    everyone = _everyone(names, by_annotator) if len(names) > 2 else None
    return Summary(_by_method(ratings), pairs, everyone)


def _counted(annotator: str, method: str, ratings: Sequence[Rating]) -> Counted:
    types = Counter(kind for one in ratings for ticked in one.errors for kind in ticked)
    return Counted(
        annotator=annotator,
        method=method,
        ratings=len(ratings),
        sentences=sum(len(one.errors) for one in ratings),
        clean=sum(not one.ticked for one in ratings),
        errors=types.total(),
        by_type={kind: types[kind] for kind in MADR_TYPES},
        seconds=median(one.seconds for one in ratings),
    )


def _by_method(ratings: Sequence[Rating]) -> list[Counted]:
    groups: dict[tuple[str, str], list[Rating]] = defaultdict(list)
    for one in ratings:
        groups[one.annotator, one.method].append(one)
        groups[EVERYONE, one.method].append(one)
    return [_counted(*names, groups[names]) for names in sorted(groups)]


def agreed(names: Sequence[str], both: Sequence[tuple[Rating, Rating]]) -> Agreed:
    """Return Cohen's kappas of two raters (any error, each type), given pairs of their ratings of the same
    explanations.
    """
    sides = [[pair[at] for pair in both] for at in (0, 1)]
    kappas = [cohen_kappa(*([yes for one in side for yes in answers(one)] for side in sides)) for answers in _ANSWERS]
    return Agreed(list(names), len(both), *kappas)


def _pair(first: str, second: str, by_annotator: Mapping[str, Mapping[TextOf, Rating]]) -> Agreed:
    rated, other = by_annotator[first], by_annotator[second]
    return agreed([first, second], [(one, other[text]) for text, one in rated.items() if text in other])


def _everyone(names: Sequence[str], by_annotator: Mapping[str, Mapping[TextOf, Rating]]) -> Agreed:
    groups: dict[TextOf, list[Rating]] = defaultdict(list)
    for rated in by_annotator.values():
        for text, one in rated.items():
            groups[text].append(one)
    shared = [group for group in groups.values() if len(group) > 1]
    kappas = []
    for answers in _ANSWERS:
        by_text = (zip(*map(answers, group), strict=True) for group in shared)
        kappas.append(fleiss_kappa([(sum(unit), len(unit)) for units in by_text for unit in units]))
    return Agreed(list(names), len(shared), *kappas)


def _any(one: Rating) -> Iterator[bool]:
    return (bool(ticked) for ticked in one.errors)


def _each(one: Rating) -> Iterator[bool]:
    return (kind in ticked for ticked in one.errors for kind in MADR_TYPES)


_ANSWERS = (_any, _each)


def summary_lines(result: Summary) -> list[str]:
    agreed = [*result.pairs, *([result.everyone] if result.everyone is not None else [])]
    lines = ["Errors that annotators ticked", *table(_counted_rows(result.counted)), ""]
    if not agreed:
        return [*lines, "Agreement: undefined, there is one annotator"]
    return [*lines, "Agreement beyond chance: Cohen's kappa of two, Fleiss' of more", *table(agreed_rows(agreed))]


def _counted_rows(counts: Sequence[Counted]) -> list[list[str]]:
    sizes = ["ratings", "% without any", "rated sentences", "errors"]
    rows = [["annotator", "method", *sizes, *MADR_TYPES, "seconds each"]]
    for one in counts:
        sizes = [str(one.ratings), share(one.clean / one.ratings), str(one.sentences), str(one.errors)]
        types = [str(one.by_type[kind]) for kind in MADR_TYPES]
        rows.append([one.annotator, one.method, *sizes, *types, f"{one.seconds:.0f}"])
    return rows


def agreed_rows(agreements: Sequence[Agreed]) -> list[list[str]]:
    rows = [["annotators", "explanations", "kappa, any error in a sentence", "kappa, each type in a sentence"]]
    for one in agreements:
        kappas = [number(one.sentence_kappa), number(one.type_kappa)]
        rows.append([", ".join(one.annotators), str(one.explanations), *kappas])
    return rows
