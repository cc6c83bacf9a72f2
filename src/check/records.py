"""What a check of one claim is asked, what it says while it works, and what it answers."""

from datetime import datetime
from enum import StrEnum
from pathlib import Path

import msgspec

from src.explanation.records import ExplainedClaim, Finding
from src.programs.records import ClaimTrace
from src.records import ChosenSentence, Claim, Level, Prediction, Verdict
from src.reranking.select import Select
from src.retrieval.scraping.page_log import PageLog
from src.stance.records import Stance
from src.stance.selection import CHOSEN, FOUND


class Road(StrEnum):
    """How the verdict is found: from question-answer pairs, or by a program of questions and checks."""

    QUESTIONS = "questions"
    PROGRAMS = "programs"


class Stage(StrEnum):
    """The stages of a check, in order; a road has SELECTION and QUESTIONS, or PROGRAM and STEPS.

    MODELS is the wait for those that are not loaded yet. Chosen by likeness, evidence is selected after QUESTIONS.
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
    """Where pages come from: exactly one of the three. `search` names a provider as `src.retrieval.search` does."""

    urls: tuple[str, ...] = ()
    search: str = ""
    knowledge_store: Path | None = None


class Asked(msgspec.Struct, frozen=True, omit_defaults=True):
    """A claim to check. `top_k` passages are retrieved, `top_n` pairs kept, chosen by `select`.

    `date` is day-month-year or year-month-day, not in the future.
    """

    claim: str
    sources: Sources
    date: str = ""
    speaker: str = ""
    road: Road = Road.QUESTIONS
    top_n: int = CHOSEN
    top_k: int = FOUND
    select: Select = Select.STANCE


class Told(msgspec.Struct, frozen=True):
    """What a check says while it works: `done` of `total` parts of a stage, 0 of 0 where parts are not counted.

    `text` is one line about the last part, such as a page's address or a question.
    """

    stage: Stage
    done: int = 0
    total: int = 0
    text: str = ""


class Without(msgspec.Struct, frozen=True):
    """What the verdict would be without some of the evidence: `evidence_ids` count from 1.

    `probability` is that of the verdict that was found, without this evidence; None where the model gives none.
    `level` is that of the other verdict; None where the model has no levels.
    """

    evidence_ids: tuple[int, ...]
    verdict: Verdict
    probability: float | None = None
    level: Level | None = None

    def turns(self, verdict: Verdict) -> bool:
        """Return True if this verdict is lost: another one is found, or the claim is undecided."""
        return self.verdict is not verdict or self.level is Level.UNDECIDED


class Decisive(msgspec.Struct, frozen=True):
    """`alone` has one entry for each pair, left out alone; `smallest` is the smallest set found that turns the verdict,
    None where none was found."""

    alone: tuple[Without, ...] = ()
    smallest: Without | None = None


class Reliance(msgspec.Struct, frozen=True):
    """How often verdicts of this level were right: `precision`, None where none of `claims` held-out claims had it.

    `coverage` is the share of these claims whose right verdict is in its set of verdicts; the sets were chosen so.
    `of_level` counts the claims of this level, which `precision` is measured on; None in older files.

    Limitations: the limits of levels and sets were chosen on the same claims.
    """

    claims: int
    precision: float | None
    coverage: float
    of_level: int | None = None


class CheckedClaim(msgspec.Struct, omit_defaults=True):
    """The answer. `prediction` holds verdict, level, probabilities, pairs (best first) and justification.

    `stances` say what each of its pairs does to the claim, `reliance` what its level was worth on held-out claims, None
    where that was not measured.

    `explained` has the justification with the numbers of its evidence, `findings` what in it the evidence does not say,
    `sentences` what was retrieved, best first (none on the road by programs, whose steps retrieve their own), `pages`
    what became of each URL, `trace` the programs of that road, which gives no probabilities. `seconds` are those of
    each stage and the total; `models` names what was asked, `notes`
    say what could not be done as asked.
    """

    claim: Claim
    road: Road
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
