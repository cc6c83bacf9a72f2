"""Table 3 of Kim et al. 2024 from a drawn study: explanations without errors, and number of errors, as judged by
people.

An error is one type in one sentence. It counts if more than half of the explanation's annotators ticked it. Only claims
are scored that have a valid rating of every method's explanation.

Limitations: the paper does not say how it joins several annotators of one explanation; this project takes the majority.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from statistics import mean

import msgspec
import numpy as np

from src.evaluation.bootstrap import Figure, figures, mean_of
from src.evaluation.calibration import wilson
from src.explanation.annotation.ratings import Rating
from src.explanation.annotation.screening import Key, Screened, by_text, screened
from src.explanation.annotation.study import StudyFile
from src.explanation.annotation.summary import Agreed, Summary, agreed, summary
from src.explanation.records import Item
from src.explanation.typology import MADR_TYPES, ErrorType
from src.records import ClaimId

POOLED = "(all whose ratings count)"


class PeopleScores(msgspec.Struct, frozen=True):
    """People's judgments of one method's explanations.

    `clean`: share of explanations without any error by the majority vote, with Wilson's interval.
    `errors`: number of errors by the majority vote.
    `each`: errors per explanation by the majority vote.
    `by_type`: number of errors of each type by the majority vote.
    `clean_alone`: share of single ratings without any error.
    `each_alone`: errors per single rating.
    """

    method: str
    clean: Figure
    errors: int
    each: Figure
    by_type: dict[ErrorType, int]
    clean_alone: float
    each_alone: float


class People(msgspec.Struct, frozen=True):
    """Results of a drawn study.

    `seed`: seed of the draw.
    `drawn`: number of claims that were to be rated.
    `annotators_per_claim`: planned number of annotators of each claim.
    `claims`: claim_ids that are scored.
    `few`: number of explanations of these claims that have fewer annotators than planned.
    `author`: name of the study's author.
    `annotators`: screening of each annotator.
    `methods`: judgments of each method's explanations.
    `with_author`: agreement of each annotator, and last of all together, with the author; explanations of the
        qualification rounds are left out.
    `among`: agreement among the annotators whose ratings count.
    """

    seed: int
    drawn: int
    annotators_per_claim: int
    claims: list[ClaimId]
    few: int
    author: str
    annotators: list[Screened]
    methods: list[PeopleScores]
    with_author: list[Agreed]
    among: Summary


def counting(study: StudyFile, key: Key, ratings: Sequence[Rating]) -> list[Rating]:
    """Return the ratings that are scored: those of the study's own claims, not of qualification rounds or control
    claims.

    The annotators must have passed the qualification rounds, and agree enough with the author on the control claims.
    """
    names = {one.annotator for one in screened(study, key, ratings) if one.counts}
    items = {item for task in study.real for item in task.items}
    return [one for one in ratings if one.annotator in names and one.item in items]


def people(study: StudyFile, key: Key, ratings: Sequence[Rating], seed: int) -> People:
    """Return the results of a drawn study; `seed` is that of the bootstrap."""
    by_item: dict[Item, list[Rating]] = defaultdict(list)
    for one in counting(study, key, ratings):
        by_item[one.item].append(one)
    claims = [claim_id for claim_id in _claims(study) if all((name, claim_id) in by_item for name in study.methods)]
    scored = {name: [by_item[name, claim_id] for claim_id in claims] for name in study.methods}
    return People(
        seed=study.seed,
        drawn=len(study.claims),
        annotators_per_claim=study.annotators_per_claim,
        claims=claims,
        few=sum(len(one) < study.annotators_per_claim for rated in scored.values() for one in rated),
        author=key.author,
        annotators=screened(study, key, ratings),
        methods=_judged(scored, seed) if claims else [],
        with_author=_with_author(study, key, ratings),
        among=summary(counting(study, key, ratings)),
    )


def majority(ratings: Sequence[Rating]) -> list[list[ErrorType]]:
    """Return, for each sentence, the types of errors that more than half of the annotators ticked."""
    sentences = zip(*(one.errors for one in ratings), strict=True)
    counts = [Counter(kind for ticked in sentence for kind in ticked) for sentence in sentences]
    return [[kind for kind in MADR_TYPES if 2 * count[kind] > len(ratings)] for count in counts]


def _claims(study: StudyFile) -> list[int]:
    return [one.tasks[0].shown.claim_id for one in study.claims]


def _judged(scored: Mapping[str, Sequence[Sequence[Rating]]], seed: int) -> list[PeopleScores]:
    joined = {name: [majority(ratings) for ratings in rated] for name, rated in scored.items()}
    counts = [np.array([float(sum(map(len, errors))) for errors in one]) for one in joined.values()]
    size = len(counts[0])
    each = figures([mean_of(one) for one in counts], size, seed)
    clean = figures([mean_of((one == 0).astype(float)) for one in counts], size, seed)
    ends = [wilson(int((one == 0).sum()), size) for one in counts]
    rows = zip(joined.items(), clean, ends, each, strict=True)
    return [
        _of_method(name, errors, msgspec.structs.replace(share, interval=end), figure, scored[name])
        for (name, errors), share, end, figure in rows
    ]


def _of_method(
    name: str, errors: Sequence[Sequence[Sequence[ErrorType]]], clean: Figure, each: Figure,
    rated: Sequence[Sequence[Rating]],
) -> PeopleScores:  # fmt: skip
    types = Counter(kind for sentences in errors for ticked in sentences for kind in ticked)
    ticked = [one.ticked for ratings in rated for one in ratings]
    return PeopleScores(
        method=name,
        clean=clean,
        errors=types.total(),
        each=each,
        by_type={kind: types[kind] for kind in MADR_TYPES},
        clean_alone=mean(not one for one in ticked),
        each_alone=mean(ticked),
    )


def _with_author(study: StudyFile, key: Key, ratings: Sequence[Rating]) -> list[Agreed]:
    """Return the agreement of each annotator with the author, and last that of all annotators whose ratings count."""
    in_rounds = {task.shown.text.hash for tasks in study.rounds for task in tasks}
    known = {name: one for name, one in key.ratings.items() if name not in in_rounds}
    agreements, pooled = [], []
    for one in screened(study, key, ratings):
        own = by_text(rating for rating in ratings if rating.annotator == one.annotator)
        both = [(known[name], own[name]) for name in own if name in known]
        agreements.append(agreed([key.author, one.annotator], both))
        pooled += both if one.counts else []
    return [*agreements, agreed([key.author, POOLED], pooled)]
