"""Answers of the tools, as the protocol's schemas describe them.

Read `level` before `verdict`: an undecided claim has no verdict.
"""

from dataclasses import dataclass, field

from src.check.decisive import what_would_change
from src.check.evidence import FoundEvidence
from src.check.records import CheckedClaim
from src.check.reliance import headline, reliance
from src.check.text import described
from src.explanation.text import marked
from src.records import Level
from src.retrieval.providers import FactCheck
from src.retrieval.scraping.page_log import PageLog, dates_of


@dataclass(frozen=True)
class Source:
    """A piece of evidence: question, answer, its page, and what it does to the claim ("for", "against", "neither")."""

    number: int
    question: str
    answer: str
    url: str
    date: str = ""
    stance: str = ""


@dataclass(frozen=True)
class OthersFactCheck:
    """A fact-check by others, which the verdict does not use."""

    rating: str
    publisher: str
    url: str
    claim: str = ""
    date: str = ""


@dataclass(frozen=True)
class CheckAnswer:
    """A checked claim.

    `check_id`: what `explain` takes.
    `headline`: the verdict in words, with how sure it is.
    `verdict`: Supported, Refuted, Not Enough Evidence or Conflicting Evidence/Cherrypicking; null if undecided.
    `level`: firm, leaning or undecided; null if the model has no levels.
    `probabilities`: of each verdict; empty if the model gives none.
    `justification`: why, with the numbers of the evidence.
    """

    check_id: str
    claim: str
    headline: str
    verdict: str | None
    level: str | None
    justification: str
    evidence: list[Source]
    probabilities: dict[str, float] = field(default_factory=dict)
    fact_checks: list[OthersFactCheck] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Passage:
    """A passage of a page."""

    text: str
    url: str
    date: str = ""


@dataclass(frozen=True)
class EvidenceAnswer:
    """Passages that bear on a claim, best first. `unread`: pages that could not be read or used, with the reason."""

    passages: list[Passage]
    unread: dict[str, str] = field(default_factory=dict)
    fact_checks: list[OthersFactCheck] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Explanation:
    """Why a check came out as it did.

    `reliance`: how often verdicts of this level were right on held-out claims.
    `change`: the smallest set of evidence found whose loss changes the verdict; "" if the claim is undecided.
    `unsupported`: words of the justification that the evidence does not support.
    `text`: the whole answer as a person reads it.
    """

    justification: str
    reliance: list[str]
    change: str
    unsupported: list[str]
    text: str


def check_answer(check_id: str, checked: CheckedClaim) -> CheckAnswer:
    prediction, dates = checked.prediction, dates_of(checked.pages)
    sides = [str(one.side) for one in checked.stances] or [""] * len(prediction.evidence)
    evidence = [
        Source(number, pair.question, pair.answer, pair.url, dates.get(pair.url, ""), side)
        for number, (pair, side) in enumerate(zip(prediction.evidence, sides, strict=True), start=1)
    ]
    return CheckAnswer(
        check_id=check_id,
        claim=checked.claim.claim,
        headline=headline(prediction),
        verdict=None if prediction.level is Level.UNDECIDED else str(prediction.pred_label),
        level=None if prediction.level is None else str(prediction.level),
        justification=marked(checked.explained),
        evidence=evidence,
        probabilities={str(verdict): chance for verdict, chance in (prediction.probabilities or {}).items()},
        fact_checks=list(map(_fact_check, checked.fact_checks)),
        notes=checked.notes,
    )


def evidence_answer(found: FoundEvidence) -> EvidenceAnswer:
    dates = dates_of(found.pages)
    return EvidenceAnswer(
        [Passage(one.sentence, one.url, dates.get(one.url, "")) for one in found.passages],
        _unread(found.pages),
        list(map(_fact_check, found.fact_checks)),
        found.notes,
    )


def explanation_of(checked: CheckedClaim) -> Explanation:
    return Explanation(
        marked(checked.explained),
        list(reliance(checked.prediction, checked.reliance)),
        what_would_change(checked.prediction, checked.decisive),
        [f"{one.span}: {one.reason}" for one in checked.findings],
        described(checked),
    )


def _unread(pages: list[PageLog]) -> dict[str, str]:
    return {log.url: log.reason for log in pages if log.reason}


def _fact_check(one: FactCheck) -> OthersFactCheck:
    return OthersFactCheck(one.rating, one.publisher, one.url, one.claim, one.date)
