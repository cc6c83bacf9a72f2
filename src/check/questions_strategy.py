"""Question strategy: retrieve passages, select those that decide, write a question for each, predict the verdict."""

from collections.abc import Sequence
from functools import partial

import msgspec

from src.check.decisive import LeftOut, decisive_evidence
from src.check.models import Models
from src.check.pages import Pages
from src.check.passages import chosen, retrieved
from src.check.records import CheckRequest, Decisive, ProgressEvent, Reliance, Stage, StrategyResult, VerdictWithout
from src.check.run_context import RunContext
from src.llm.progress import listening
from src.models.reasoned_veracity import ReasonedVerdict
from src.models.veracity import VerdictModel
from src.prediction.verdicts import judge
from src.records import (
    CandidateQuestions,
    Claim,
    Evidence,
    Level,
    Prediction,
    QAPair,
    RankedSentences,
)
from src.reranking.select import Select
from src.runner.console import how_many
from src.stance.levels import Leveled
from src.stance.records import Passage, Stance
from src.stance.selection import selected
from src.stance.stacker import passage_of


def by_questions(
    claim: Claim, request: CheckRequest, pages: Pages, models: Models, context: RunContext
) -> StrategyResult:
    """Check a claim by the question strategy. Raises ModelError, StoreError or Cancelled."""
    ranked = retrieved(claim, request, pages, models, context)
    evidence = _OF_SELECT[request.select](ranked, request, models, context)
    context.wait_for("verdict")
    with context.stage(Stage.VERDICT):
        (judged,) = judge(models.verdict, [evidence])
    prediction = judged.record
    context.wait_for("reader")
    with context.stage(Stage.DECISIVE):
        decisive, stances = _decisive(prediction, request, models, context), stances_of(prediction, models)
    sentences = [chosen(one) for one in ranked.sentences]
    return StrategyResult(
        prediction, decisive, sentences, stances=stances, reliance=_reliance(models.verdict, prediction)
    )


def _by_stance(ranked: RankedSentences, request: CheckRequest, models: Models, context: RunContext) -> Evidence:
    """Return evidence selected by stance: select the passages with the strongest stances, then write a question for
    each.
    """
    context.wait_for("reader")
    with context.stage(Stage.SELECTION):
        passages = [Passage(one.sentence, one.url, ranked.speaker) for one in ranked.sentences]
        (stances,) = models.reader.stances([(ranked.claim, passages)])
        deciding = [ranked.sentences[place] for place in selected(passages, stances, models.most_pairs(request))]
    written = _written(msgspec.structs.replace(ranked, sentences=deciding), models, context)
    pairs = [QAPair(one.question, one.answer, one.url) for one in written.bm25_qau]
    return Evidence(ranked.claim_id, ranked.claim, pairs, ranked.speaker)


def _by_likeness(ranked: RankedSentences, request: CheckRequest, models: Models, context: RunContext) -> Evidence:
    """Return evidence selected by likeness: write a question for each passage, then keep the pairs most like gold
    evidence.
    """
    written = _written(ranked, models, context)
    context.wait_for("reranker")
    with context.stage(Stage.SELECTION):
        return models.rerank(models.most_pairs(request), written)


_OF_SELECT = {Select.STANCE: _by_stance, Select.LIKENESS: _by_likeness}


def _written(ranked: RankedSentences, models: Models, context: RunContext) -> CandidateQuestions:
    """Return the ranked sentences, each with the questions that the language model wrote for it."""
    context.wait_for("writer")
    with context.stage(Stage.QUESTIONS):
        total = len(ranked.sentences) * (1 + models.chosen.recipe.samples)
        with listening(context.counting(Stage.QUESTIONS, total)):
            written = models.writer.write(ranked).record
        models.release_writer()
        return written


def _decisive(prediction: Prediction, request: CheckRequest, models: Models, context: RunContext) -> Decisive:
    """Return the decisive evidence of a prediction: what the verdict would be without pieces of the evidence.

    It is empty for an undecided claim, which has no verdict that could change, unless every set is asked for. It is
    also empty if the verdict model is a language model that reasons: each judgment takes minutes, and the reasoning
    names the evidence that it uses.
    """
    is_decided = prediction.level is not Level.UNDECIDED
    if isinstance(models.verdict, ReasonedVerdict) or not (is_decided or request.every_set):
        return Decisive()
    return decisive_evidence(
        len(prediction.evidence),
        prediction.pred_label,
        partial(_without, models.verdict, prediction, context),
        every_set=request.every_set and isinstance(models.verdict, Leveled),
        is_decided=is_decided,
    )


def stances_of(prediction: Prediction, models: Models) -> list[Stance]:
    """Return the stances of all pairs of evidence, including pairs that the verdict model does not read."""
    passages = [passage_of(pair, prediction.speaker) for pair in prediction.evidence]
    (stances,) = models.reader.stances([(prediction.claim, passages)])
    return list(stances)


def _reliance(model: VerdictModel, prediction: Prediction) -> Reliance | None:
    """Return how often verdicts of the prediction's level were right on held-out claims.

    None if the model has no levels, or the claim has no evidence.
    """
    if not isinstance(model, Leveled) or prediction.level is None or not prediction.evidence:
        return None
    levels, level = model.levels, prediction.level
    return Reliance(levels.claims, levels.precision.get(level), 1 - levels.alpha, levels.count(level))


def _without(
    model: VerdictModel, prediction: Prediction, context: RunContext, sets: Sequence[LeftOut]
) -> list[VerdictWithout]:
    """Return the verdicts without each of the given sets of pairs. Raises ModelError, or Cancelled when the check was
    cancelled.
    """
    context.go_on()
    context.tell(ProgressEvent(Stage.DECISIVE, text=f"without {how_many(len(sets), 'set')} of evidence"))
    numbered = list(enumerate(prediction.evidence, start=1))
    claim_id, claim = prediction.claim_id, prediction.claim
    claims = [
        Evidence(claim_id, claim, [pair for number, pair in numbered if number not in left_out], prediction.speaker)
        for left_out in sets
    ]
    judged = [outcome.record for outcome in judge(model, claims)]
    verdict = prediction.pred_label
    return [
        VerdictWithout(left_out, one.pred_label, one.probabilities[verdict] if one.probabilities else None, one.level)
        for left_out, one in zip(sets, judged, strict=True)
    ]
