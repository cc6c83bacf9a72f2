"""Records of a check of one claim: request, progress events and result."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

import msgspec

from src.errors import InputError
from src.explanation.records import ExplainedClaim, Finding
from src.programs.records import ClaimTrace
from src.records import ChosenSentence, Claim, Level, Prediction, Verdict
from src.reranking.select import Select
from src.retrieval.providers import FactCheck
from src.retrieval.scraping.page_log import PageLog
from src.stance.records import Stance
from src.stance.selection import RETRIEVED


class Strategy(StrEnum):
    """Strategy for finding the verdict: by question-answer pairs, by a program of questions and checks, or by one call
    to a language model.
    """

    QUESTIONS = "questions"
    PROGRAMS = "programs"
    ONE_CALL = "one_call"


class Stage(StrEnum):
    """The stages of a check, in order. The question strategy has SELECTION and QUESTIONS, the program strategy PROGRAM
    and STEPS, the strategy of one call CALL.

    MODELS is the wait, before another stage, for models that are still loading; its seconds are added up. With
    selection by likeness, SELECTION comes after QUESTIONS.
    """

    SEARCH = "search"
    PAGES = "pages"
    MODELS = "waiting for models"
    RETRIEVAL = "retrieval"
    SELECTION = "selection of evidence"
    QUESTIONS = "questions"
    PROGRAM = "program"
    STEPS = "steps"
    CALL = "language model"
    VERDICT = "verdict"
    DECISIVE = "decisive evidence"
    JUSTIFICATION = "justification"


class OwnDocument(msgspec.Struct, frozen=True):
    """Document of the user: a file or a pasted text.

    `url`: its address among those of pages, such as `file:report.pdf`.
    `content`: its bytes: PDF, Word (.docx), HTML or text.
    """

    url: str
    content: bytes


class Sources(msgspec.Struct, frozen=True, omit_defaults=True):
    """Sources of a claim's pages: a knowledge store alone, or any of the others.

    `urls`: http and https URLs of the pages.
    `search`: name of a search provider, as in `src.retrieval.search`.
    `knowledge_store`: file of pages that were scraped earlier (Path or str).
    `documents`: documents of the user.

    Raises InputError if `urls` is a string.
    """

    urls: tuple[str, ...] = ()
    search: str = ""
    knowledge_store: Path | None = None
    documents: tuple[OwnDocument, ...] = ()

    def __post_init__(self) -> None:
        if isinstance(self.urls, str):
            raise InputError("must be a list of URLs, not a string", field="urls")
        if isinstance(self.knowledge_store, str):
            msgspec.structs.force_setattr(self, "knowledge_store", Path(self.knowledge_store))


class CheckRequest(msgspec.Struct, frozen=True, omit_defaults=True):
    """Request to check a claim.

    `claim`: text of the claim.
    `sources`: source of the pages.
    `date`: day of the claim, as day-month-year or year-month-day, not in the future.
    `strategy`: strategy for finding the verdict.
    `top_n`: number of question-answer pairs that are kept as evidence; None: 5, or 10 by one call of a large model.
    `top_k`: number of passages that are retrieved.
    `every_set`: judge the claim without every set of its pairs, too, for the page on which readers leave some out.
    `select`: how the pairs are selected: by stance toward the claim, or by likeness to the gold evidence of
        AVeriTeC's claims in general, as a reranker judges it (for benchmarks).
    """

    claim: str
    sources: Sources
    date: str = ""
    speaker: str = ""
    strategy: Strategy = Strategy.QUESTIONS
    top_n: int | None = None
    top_k: int = RETRIEVED
    select: Select = Select.STANCE
    every_set: bool = False


class ProgressEvent(msgspec.Struct, frozen=True):
    """Progress event of a check.

    `stage`: the stage that is running.
    `done`, `total`: number of its finished parts and of all parts; both 0 if parts are not counted.
    `text`: one line about the last part, such as a page's URL or a question.
    """

    stage: Stage
    done: int = 0
    total: int = 0
    text: str = ""


class VerdictWithout(msgspec.Struct, frozen=True):
    """Verdict that is predicted without some of the evidence.

    `evidence_ids`: pieces of evidence that are left out, from 1.
    `verdict`: the verdict without them.
    `probability`: probability of the original verdict without them; None if the model gives none.
    `level`: level of `verdict`; None if the model has no levels.
    """

    evidence_ids: tuple[int, ...]
    verdict: Verdict
    probability: float | None = None
    level: Level | None = None

    def turns(self, verdict: Verdict) -> bool:
        """Return True if the original verdict, `verdict`, does not hold without this evidence: another verdict is
        predicted, or the claim becomes undecided.
        """
        return self.verdict is not verdict or self.level is Level.UNDECIDED


class Decisive(msgspec.Struct, frozen=True, omit_defaults=True):
    """Evidence that decides the verdict.

    `alone`: for each pair of evidence, the verdict without it.
    `smallest`: the verdict without the smallest set of pairs whose removal was found to change it; None if no such
        set was found, or the claim is undecided.
    `together`: for each set of two pairs or more, the verdict without it, so that readers can leave out what they find
        wrong; empty where there are many pairs, or judging takes long.
    """

    alone: tuple[VerdictWithout, ...] = ()
    smallest: VerdictWithout | None = None
    together: tuple[VerdictWithout, ...] = ()


class Reliance(msgspec.Struct, frozen=True):
    """How often verdicts of one level were right on held-out claims.

    `claims`: number of held-out claims.
    `precision`: share of right verdicts among those of this level; None if no held-out claim has this level.
    `coverage`: share of held-out claims whose right verdict is in their verdict set; the sets were chosen to reach
        it.
    `of_level`: number of held-out claims with this level; None in older files.

    Limitations: the thresholds of levels and sets were chosen on the same claims.
    """

    claims: int
    precision: float | None
    coverage: float
    of_level: int | None = None


class CheckedClaim(msgspec.Struct, omit_defaults=True):
    """Result of a check.

    `claim`: the claim.
    `strategy`: strategy that found the verdict.
    `checked_at`: time of the check.
    `prediction`: verdict, level, probabilities, question-answer pairs (best first) and justification.
    `explained`: the justification with the numbers of the evidence that it cites.
    `decisive`: evidence that decides the verdict.
    `stances`: stance of each pair toward the claim.
    `reliance`: how often verdicts of this level were right on held-out claims; None if that was not measured.
    `findings`: statements of the justification that the evidence does not support.
    `sentences`: retrieved sentences, best first; empty for the program strategy, whose steps retrieve their own.
    `pages`: log of each URL.
    `fact_checks`: fact-checks of the claim by others; none of them is evidence.
    `trace`: programs of the program strategy; None for the question strategy.
    `seconds`: seconds of each stage, and in total.
    `models`: model of each task.
    `notes`: what could not be done as requested, and cautions.
    """

    claim: Claim
    strategy: Strategy
    checked_at: datetime
    prediction: Prediction
    explained: ExplainedClaim
    decisive: Decisive
    stances: list[Stance] = []
    reliance: Reliance | None = None
    findings: list[Finding] = []
    sentences: list[ChosenSentence] = []
    pages: list[PageLog] = []
    fact_checks: list[FactCheck] = []
    trace: ClaimTrace | None = None
    seconds: dict[str, float] = {}
    models: dict[str, str] = {}
    notes: list[str] = []


class StrategyResult(NamedTuple):
    """What a strategy returns for a claim: the part of `CheckedClaim` that depends on the strategy, under its names."""

    prediction: Prediction
    decisive: Decisive
    sentences: list[ChosenSentence]
    trace: ClaimTrace | None = None
    stances: Sequence[Stance] = ()
    reliance: Reliance | None = None
