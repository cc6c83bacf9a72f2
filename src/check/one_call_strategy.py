"""Strategy of one call: a language model writes evidence, justification and ratings of the labels in one reply.

The verdict has no level, since it was not measured on held-out claims. With the default model, which is small, the
claim is always undecided. What would change the verdict is not tried: each call takes seconds to minutes.
"""

from dataclasses import replace

import msgspec

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
    """Check a claim by one call. Raises ModelError, StoreError or Cancelled."""
    ranked = retrieved(claim, request, pages, models, context)
    context.wait_for("caller")
    with context.stage(Stage.CALL):
        (outcome,) = replace(models.caller, pairs=request.top_n).check_all(
            with_sources([ranked], [claim], request.top_k)
        )
    if outcome.failure:
        raise ModelError(outcome.failure)
    prediction = outcome.record
    if models.calls_default:
        prediction = msgspec.structs.replace(prediction, level=Level.UNDECIDED, verdict_set=list(VERDICTS))
    context.wait_for("reader")
    with context.stage(Stage.DECISIVE):
        stances = stances_of(prediction, models)
    return StrategyResult(prediction, Decisive(), [chosen(one) for one in ranked.sentences], stances=stances)
