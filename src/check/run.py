"""Check of one claim: its pages, the chosen strategy, decisive evidence, justification."""

import time
from collections.abc import Callable
from datetime import UTC, datetime

import msgspec

from src.check.asking import claim_of
from src.check.call_model import is_large
from src.check.claim_language import language_note
from src.check.loading import Loading
from src.check.models import Models
from src.check.one_call_strategy import by_one_call
from src.check.pages import ENGLISH_ENCODER, ENGLISH_ONLY, Pages, check_read, pages_of
from src.check.programs_strategy import by_program
from src.check.questions_strategy import by_questions
from src.check.records import CheckedClaim, CheckRequest, Stage, Strategy, StrategyResult
from src.check.reliance import CAUTION
from src.check.run_context import TOTAL, RunContext, Tell
from src.check.scraping import Scraping
from src.explanation.reasons import by_reasoning
from src.explanation.records import ExplainedClaim
from src.records import Claim
from src.waiting import while_wanted

STRATEGIES = {
    Strategy.QUESTIONS: by_questions,
    Strategy.PROGRAMS: by_program,
    Strategy.ONE_CALL: by_one_call,
}


def check_claim(
    request: CheckRequest,
    *,
    models: Models | None = None,
    scraping: Scraping = Scraping(),  # noqa: B008 - it is frozen
    tell: Tell = lambda _: None,
    is_cancelled: Callable[[], bool] = lambda: False,
) -> CheckedClaim:
    """Check a claim and return verdict, evidence, justification and decisive evidence.

    No gold labels are read, and no GPU is needed.

    `request`: the claim, its source of pages and the strategy.
    `models`: models that may be reused for the next check; None: the default models, loaded for this check.
    `scraping`: settings for fetching pages.
    `tell`: called in this thread when a stage begins and after each finished page and question.
    `is_cancelled`: called between stages, and while the check waits for services, fetches pages or writes questions.

    Raises InputError if the claim is empty or longer than 4,000 characters, the date is invalid or in the future, there
    is no source or more than one, a URL is not a web address, the language model is not installed, or a calibration was
    fitted for another model or other numbers. Raises MissingExtra if another model is not installed, NetworkError if a
    search is refused, StoreError if no page could be read (there is no evidence for a verdict), ModelError if a model
    failed, and Cancelled if `is_cancelled` returned True.
    """
    began = time.perf_counter()
    claim, context, models = claim_of(request), RunContext(tell, is_cancelled), models or Models()
    with while_wanted(context.go_on):
        models.refuse(request)
        is_multilingual = is_large(request, models.settings.writer.llm)
        note = language_note(request, models.settings.writer.llm)
        notes = [note] if note else []
        context.loading = Loading(models, models.parts(request.strategy, request.select))
        is_filtered = request.strategy is Strategy.PROGRAMS or not models.retrieves.is_hybrid
        pages = pages_of(claim, request, scraping, context, is_filtered=is_filtered)
        check_read(pages.logs)
        if pages.other_languages:
            notes.append(f"{pages.other_languages}: {ENGLISH_ENCODER if is_multilingual else ENGLISH_ONLY}")
        result = STRATEGIES[request.strategy](claim, request, pages, models, context)
        checked = _explained(claim, request, result, pages._replace(notes=[*notes, *pages.notes]), models, context)
    checked.seconds[TOTAL] = round(time.perf_counter() - began, 2)
    return checked


def _explained(
    claim: Claim, request: CheckRequest, result: StrategyResult, pages: Pages, models: Models, context: RunContext
) -> CheckedClaim:
    """Write and check the justification of the strategy's verdict, and return the complete result of the check."""
    prediction, strategy = result.prediction, request.strategy
    context.wait_for("reader", "checker")
    with context.stage(Stage.JUSTIFICATION):
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
        decisive=result.decisive,
        stances=list(result.stances),
        reliance=result.reliance,
        findings=findings,
        sentences=result.sentences,
        pages=pages.logs,
        fact_checks=pages.fact_checks,
        trace=result.trace,
        seconds=context.seconds,
        models=models.names(strategy, request.select),
        notes=[CAUTION, *pages.notes, *models.notes(strategy, request.select)],
    )
