"""Records of a check of one claim: request, progress events and result."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

import msgspec

from src.explanation.records import ExplainedClaim, Finding
from src.programs.records import ClaimTrace
from src.records import ChosenSentence, Claim, Level, Prediction, Verdict
from src.reranking.select import Select
from src.retrieval.scraping.page_log import PageLog
from src.stance.records import Stance
from src.stance.selection import CHOSEN, FOUND


class Strategy(StrEnum):
    """Strategy for finding the verdict: from question-answer pairs, or by a program of questions and checks."""

    QUESTIONS = "questions"
    PROGRAMS = "programs"


class Stage(StrEnum):
    """The stages of a check, in order. A strategy has SELECTION and QUESTIONS, or PROGRAM and STEPS.

    MODELS is the wait for models that are still loading. With selection by likeness, SELECTION comes after QUESTIONS.
    """

    SEARCH = "search"
    PAGES = "pages"
    MODELS = "waiting for models"
    RETRIEVAL = "retrieval"
    SELECTION = "selection of evidence"
    QUESTIONS = "questions"
    PROGRAM = "program"
    STEPS = "steps"
    VERDICT = "verdict"
    DECISIVE = "decisive evidence"
    JUSTIFICATION = "justification"


class Sources(msgspec.Struct, frozen=True, omit_defaults=True):
    """Source of pages: exactly one of the three. `search` names a provider as `src.retrieval.search` does."""

    urls: tuple[str, ...] = ()
    search: str = ""
    knowledge_store: Path | None = None


class CheckRequest(msgspec.Struct, frozen=True, omit_defaults=True):
    """A claim to check. `top_k` passages are retrieved; `top_n` pairs are kept, chosen by `select`.

    `date` is day-month-year or year-month-day, not in the future.
    """

    claim: str
    sources: Sources
    date: str = ""
    speaker: str = ""
    strategy: Strategy = msgspec.field(default=Strategy.QUESTIONS, name="road")  # the key of files and of the API
    top_n: int = CHOSEN
    top_k: int = FOUND
    select: Select = Select.STANCE


class ProgressEvent(msgspec.Struct, frozen=True):
    """Progress event of a check: `done` of `total` parts of a stage, 0 of 0 if parts are not counted.

    `text` is one line about the last part, such as a page's address or a question.
    """

    stage: Stage
    done: int = 0
    total: int = 0
    text: str = ""


class VerdictWithout(msgspec.Struct, frozen=True):
    """Verdict without some of the evidence; `evidence_ids` count from 1.

    `probability` is that of the original verdict, without this evidence; None if the model gives none. `level` is that
    of `verdict`; None if the model has no levels.
    """

    evidence_ids: tuple[int, ...]
    verdict: Verdict
    probability: float | None = None
    level: Level | None = None

    def turns(self, verdict: Verdict) -> bool:
        """Return True if this verdict is lost: the verdict becomes another one, or the claim undecided."""
        return self.verdict is not verdict or self.level is Level.UNDECIDED


class Decisive(msgspec.Struct, frozen=True):
    """Evidence that decides the verdict.

    `alone` has one entry per pair, with that pair left out. `smallest` is the smallest set found that turns the
    verdict, None if none was found.
    """

    alone: tuple[VerdictWithout, ...] = ()
    smallest: VerdictWithout | None = None


class Reliance(msgspec.Struct, frozen=True):
    """How often verdicts of this level were right on held-out claims.

    `precision` is that share; it is None if none of the `claims` held-out claims had the level. `coverage` is the share
    of held-out claims whose right verdict is in their verdict set; the sets were chosen for it. `of_level` counts the
    claims of this level, on which `precision` is measured; it is None in older files.

    Limitations: the thresholds of levels and sets were chosen on the same claims.
    """

    claims: int
    precision: float | None
    coverage: float
    of_level: int | None = None


class CheckedClaim(msgspec.Struct, omit_defaults=True):
    """Result of a check. `prediction` holds verdict, level, probabilities, pairs (best first) and justification.

    `stances` say what each pair does to the claim. `reliance` says how often verdicts of this level were right on
    held-out claims; it is None if that was not measured.

    `explained` is the justification with the numbers of its evidence; `findings` are its statements that the evidence
    does not support. `sentences` are the retrieved sentences, best first; the program strategy has none, since its
    steps retrieve their own. `pages` is the log of each URL. `trace` has the programs of the program strategy, which
    gives no probabilities. `seconds` has the seconds of each stage and the total. `models` names the models used.
    `notes` say what could not be done as requested.
    """

    claim: Claim
    strategy: Strategy = msgspec.field(name="road")
    checked_at: datetime
    prediction: Prediction
    explained: ExplainedClaim
    decisive: Decisive
    stances: list[Stance] = []
    reliance: Reliance | None = None
    findings: list[Finding] = []
    sentences: list[ChosenSentence] = []
    pages: list[PageLog] = []
    trace: ClaimTrace | None = None
    seconds: dict[str, float] = {}
    models: dict[str, str] = {}
    notes: list[str] = []


class StrategyResult(NamedTuple):
    prediction: Prediction
    decisive: Decisive
    sentences: list[ChosenSentence]
    trace: ClaimTrace | None = None
    stances: Sequence[Stance] = ()
    reliance: Reliance | None = None
