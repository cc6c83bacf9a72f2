"""Strategy of one call: a language model writes evidence, justification and ratings of the labels in one reply.

Without a calibration the verdict has no level, and with a model that comes with the project, which is small, the claim
is always undecided. What would change the verdict is not tried: each call takes seconds to minutes.
"""

from dataclasses import replace

import msgspec

from src.check.call_model import is_small
from src.check.models import Models
from src.check.pages import Pages
from src.check.passages import chosen, retrieved
from src.check.questions_strategy import stances_of
from src.check.records import CheckRequest, Decisive, Stage, StrategyResult
from src.check.run_context import RunContext
from src.errors import ModelError
from src.one_call.sources import with_sources
from src.records import VERDICTS, Claim, Level


def by_one_call(
    claim: Claim, request: CheckRequest, pages: Pages, models: Models, context: RunContext
) -> StrategyResult:
    """Check a claim by one call. Raises ModelError, StoreError or Cancelled, and InputError for a calibration that was
    fitted for another model or other numbers.
    """
    ranked = retrieved(claim, request, pages, models, context)
    context.wait_for("caller")
    caller = replace(models.caller, pairs=models.most_pairs(request))
    caller.check_calibration(request.top_k, models.settings.calibration)
    with context.stage(Stage.CALL):
        (outcome,) = caller.check_all(with_sources([ranked], [claim], request.top_k))
    if outcome.failure:
        raise ModelError(outcome.failure)
    prediction = outcome.record
    if caller.calibration is None and is_small(models.settings.writer.llm):
        prediction = msgspec.structs.replace(prediction, level=Level.UNDECIDED, verdict_set=list(VERDICTS))
    context.wait_for("reader")
    with context.stage(Stage.DECISIVE):
        stances = stances_of(prediction, models)
    return StrategyResult(prediction, Decisive(), [chosen(one) for one in ranked.sentences], stances=stances)
