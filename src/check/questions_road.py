"""The road by questions: retrieval, a question for each sentence, the best pairs, the verdict."""

from collections.abc import Sequence
from functools import partial

from src.check.decisive import LeftOut, decisive_evidence
from src.check.found import Found
from src.check.models import Models
from src.check.pages import Pages
from src.check.records import Asked, Stage, Without
from src.check.watch import Watch
from src.llm.heard import listening
from src.models.chosen_reranker import chosen_reranker, keeps_duplicates
from src.models.veracity import VerdictModel
from src.prediction.verdicts import judge
from src.records import ChosenSentence, Claim, Evidence, Prediction
from src.reranking.hybrid.ranking import hybrid_ranking
from src.reranking.ranked_evidence import rerank
from src.retrieval.leakage.stored_pages import refused_pages


def by_questions(claim: Claim, asked: Asked, pages: Pages, models: Models, watch: Watch) -> Found:
    """Raises ModelError, StoreError, Cancelled."""
    with watch.stage(Stage.RETRIEVAL):
        refused = partial(refused_pages, pages.leakage)
        (ranked,) = hybrid_ranking(pages.store, models.encoder, refused, asked.top_k)([claim])
    sentences = [one for one in ranked.record.sentences if isinstance(one, ChosenSentence)]  # hybrid: all of them
    with watch.stage(Stage.QUESTIONS):
        total = len(sentences) * (1 + models.recipe.samples)
        with listening(watch.counting(Stage.QUESTIONS, total)):
            written = models.writer.write(ranked.record)
    with watch.stage(Stage.RERANKING):
        keep = keeps_duplicates(chosen_reranker(None)[0])
        (best,) = rerank(models.reranker, asked.top_n, keep, [written.record])
    with watch.stage(Stage.VERDICT):
        (judged,) = judge(models.verdict, [best.record])
    prediction = judged.record
    with watch.stage(Stage.DECISIVE):
        without = partial(_without, models.verdict, prediction, watch)
        decisive = decisive_evidence(len(prediction.evidence), prediction.pred_label, without)
    return Found(prediction, decisive, sentences)


def _without(model: VerdictModel, prediction: Prediction, watch: Watch, sets: Sequence[LeftOut]) -> list[Without]:
    """The claim judged without each set of its pairs. Raises ModelError, Cancelled."""
    watch.go_on()
    numbered = list(enumerate(prediction.evidence, start=1))
    claims = [
        Evidence(prediction.claim_id, prediction.claim, [pair for number, pair in numbered if number not in left_out])
        for left_out in sets
    ]
    judged = [outcome.record for outcome in judge(model, claims)]
    return [
        Without(left_out, one.pred_label, one.probabilities[prediction.pred_label] if one.probabilities else None)
        for left_out, one in zip(sets, judged, strict=True)
    ]
