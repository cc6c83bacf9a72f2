"""Checks one claim: its pages, one of the two roads to a verdict, what decides, why."""

import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from datetime import UTC, datetime
from threading import Thread

import msgspec

from src.check.asking import claim_of
from src.check.interruption import PREFIX
from src.check.models import Models
from src.check.pages import Pages, check_read, pages_of
from src.check.programs_strategy import by_program
from src.check.questions_strategy import by_questions
from src.check.records import Asked, CheckedClaim, Road, Stage
from src.check.reliance import CAUTION
from src.check.run_context import TOTAL, Tell, Watch
from src.check.scraping import Scraping
from src.check.strategy_result import Found
from src.explanation.reasoning import by_reasoning
from src.explanation.records import ExplainedClaim
from src.records import Claim
from src.temporary_folder import temporary_folder
from src.waiting import LOOK, while_wanted

ROADS = {Road.QUESTIONS: by_questions, Road.PROGRAMS: by_program}


def check_claim(
    asked: Asked,
    *,
    models: Models | None = None,
    scraping: Scraping = Scraping(),  # noqa: B008 - it is frozen
    tell: Tell = lambda _: None,
    is_cancelled: Callable[[], bool] = lambda: False,
) -> CheckedClaim:
    """The claim with verdict, evidence, justification and what decides. No gold is read, and no GPU needed.

    `models` may be kept for the next check. `tell` hears each stage begin, and of pages and questions each that is
    done; it is called in this thread. `is_cancelled` is looked at between stages, and while services are waited
    for, pages fetched and questions written.

    Raises InputError for what cannot be checked (an empty claim or one of more than 4,000 characters, a date that is no
    day or lies in the future, no source or two, a URL that is no web address), MissingExtra where a model is not
    installed, NetworkError where a search is refused, StoreError where no page could be read (a verdict would rest on
    nothing), ModelError where models fail, Cancelled.
    """
    began = time.perf_counter()
    claim, watch, models = claim_of(asked), Watch(tell, is_cancelled), models or Models()
    with while_wanted(watch.go_on), temporary_folder(PREFIX) as folder:
        loading = _beside(models, asked)
        is_filtered = asked.road is Road.PROGRAMS or not models.retrieves.is_hybrid
        pages = pages_of(claim, asked, folder, scraping, watch, is_filtered=is_filtered)
        check_read(pages.logs)
        _await(loading, watch)
        found = ROADS[asked.road](claim, asked, pages, models, watch)
        checked = _explained(claim, asked, found, pages, models, watch)
    checked.seconds[TOTAL] = round(time.perf_counter() - began, 2)
    return checked


def _beside(models: Models, asked: Asked) -> Future[None]:
    """Loads models while pages are fetched: other processes read these, and no model is asked meanwhile.

    In a thread that nobody waits for, should the check end before.
    """
    loading: Future[None] = Future()

    def load() -> None:
        try:
            models.load(asked.road, asked.select)
            loading.set_result(None)
        except BaseException as error:  # raised where the models are wanted
            loading.set_exception(error)

    Thread(target=load, daemon=True).start()
    return loading


def _await(loading: Future[None], watch: Watch) -> None:
    """Raises what loading raised, and Cancelled."""
    if not loading.done():
        with watch.stage(Stage.MODELS):
            while not wait([loading], LOOK).done:
                watch.go_on()
    loading.result()


def _explained(claim: Claim, asked: Asked, found: Found, pages: Pages, models: Models, watch: Watch) -> CheckedClaim:
    prediction, road = found.prediction, asked.road
    with watch.stage(Stage.JUSTIFICATION):
        judged = ExplainedClaim(
            claim.claim_id, claim.claim, prediction.pred_label, prediction.evidence,
            claim_date=claim.claim_date or "", speaker=prediction.speaker, level=prediction.level,
        )  # fmt: skip
        why = by_reasoning(judged, prediction.justification, models.reader)
        (findings,) = models.checker.check([why])
    return CheckedClaim(
        claim=claim,
        road=road,
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
        models=models.names(road, asked.select),
        notes=[CAUTION, *pages.notes, *models.notes(road, asked.select)],
    )
