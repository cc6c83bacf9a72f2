"""Check of one claim: its pages, the chosen strategy, decisive evidence, justification."""

import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from datetime import UTC, datetime
from threading import Thread

import msgspec

from src.check.asking import claim_of
from src.check.models import Models
from src.check.pages import Pages, check_read, pages_of
from src.check.programs_strategy import by_program
from src.check.questions_strategy import by_questions
from src.check.records import CheckedClaim, CheckRequest, Stage, Strategy, StrategyResult
from src.check.reliance import CAUTION
from src.check.run_context import TOTAL, RunContext, Tell
from src.check.scraping import Scraping
from src.explanation.reasons import by_reasoning
from src.explanation.records import ExplainedClaim
from src.records import Claim
from src.waiting import LOOK, while_wanted

STRATEGIES = {Strategy.QUESTIONS: by_questions, Strategy.PROGRAMS: by_program}


def check_claim(
    asked: CheckRequest,
    *,
    models: Models | None = None,
    scraping: Scraping = Scraping(),  # noqa: B008 - it is frozen
    tell: Tell = lambda _: None,
    is_cancelled: Callable[[], bool] = lambda: False,
) -> CheckedClaim:
    """Check a claim and return verdict, evidence, justification and decisive evidence.

    No gold labels are read, and no GPU is needed. `models` may be reused for the next check. `tell` is called in this
    thread when a stage begins and after each finished page and question. `is_cancelled` is called between stages. It is
    also called while services are waited for, pages fetched and questions written.

    Raises:
        InputError: The claim is empty or longer than 4,000 characters, the date is invalid or in the future, there is
            no source or more than one, or a URL is not a web address.
        MissingExtra: A model is not installed.
        NetworkError: A search is refused.
        StoreError: No page could be read; there is no evidence for a verdict.
        ModelError: A model failed.
        Cancelled: `is_cancelled` returned True.
    """
    began = time.perf_counter()
    claim, watch, models = claim_of(asked), RunContext(tell, is_cancelled), models or Models()
    with while_wanted(watch.go_on):
        loading = _beside(models, asked)
        is_filtered = asked.strategy is Strategy.PROGRAMS or not models.retrieves.is_hybrid
        pages = pages_of(claim, asked, scraping, watch, is_filtered=is_filtered)
        check_read(pages.logs)
        _await(loading, watch)
        found = STRATEGIES[asked.strategy](claim, asked, pages, models, watch)
        checked = _explained(claim, asked, found, pages, models, watch)
    checked.seconds[TOTAL] = round(time.perf_counter() - began, 2)
    return checked


def _beside(models: Models, asked: CheckRequest) -> Future[None]:
    """Start loading the models in a background thread while pages are fetched, and return a Future of it.

    Pages are read by other processes, and no model is used meanwhile. The thread is a daemon, so a check that ends
    earlier does not wait for it.
    """
    loading: Future[None] = Future()

    def load() -> None:
        try:
            models.load(asked.strategy, asked.select)
            loading.set_result(None)
        except BaseException as error:  # raised where the models are needed
            loading.set_exception(error)

    Thread(target=load, daemon=True).start()
    return loading


def _await(loading: Future[None], watch: RunContext) -> None:
    """Wait until the models are loaded. Raises what the loading raised, and Cancelled when the check was cancelled."""
    if not loading.done():
        with watch.stage(Stage.MODELS):
            while not wait([loading], LOOK).done:
                watch.go_on()
    loading.result()


def _explained(
    claim: Claim, asked: CheckRequest, found: StrategyResult, pages: Pages, models: Models, watch: RunContext
) -> CheckedClaim:
    prediction, strategy = found.prediction, asked.strategy
    with watch.stage(Stage.JUSTIFICATION):
        judged = ExplainedClaim(
            claim.claim_id, claim.claim, prediction.pred_label, prediction.evidence,
            claim_date=claim.claim_date or "", speaker=prediction.speaker, level=prediction.level,
        )  # fmt: skip
        why = by_reasoning(judged, prediction.justification, models.reader)
        (findings,) = models.checker.check([why])
    return CheckedClaim(
        claim=claim,
        strategy=strategy,
        checked_at=datetime.now(UTC).replace(microsecond=0),
        prediction=msgspec.structs.replace(prediction, justification=why.explanation),
        explained=why,
        decisive=found.decisive,
        stances=list(found.stances),
        reliance=found.reliance,
        findings=findings,
        sentences=found.sentences,
        pages=pages.logs,
        trace=found.trace,
        seconds=watch.seconds,
        models=models.names(strategy, asked.select),
        notes=[CAUTION, *pages.notes, *models.notes(strategy, asked.select)],
    )
