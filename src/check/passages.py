"""Passages of a check: retrieved from the pages of a claim."""

from src.check.models import Models
from src.check.pages import Pages
from src.check.records import CheckRequest, Stage
from src.check.run_context import RunContext
from src.records import ChosenSentence, Claim, RankedSentences, Sentence
from src.reranking.claim_ranking import ClaimRanking


def retrieved(
    claim: Claim, request: CheckRequest, pages: Pages, models: Models, context: RunContext
) -> RankedSentences:
    """Return the claim's best passages, or sentences with a retriever of sentences. Raises StoreError or Cancelled."""
    context.wait_for("encoder")
    with context.stage(Stage.RETRIEVAL):
        retriever = models.retriever(lambda *_: pages.refused)
        (ranked,) = ClaimRanking(pages.store, retriever, request.top_k, keeps_speaker=True)([claim])
    return ranked.record


def chosen(one: Sentence) -> ChosenSentence:
    """Return the retrieved sentence as a record that has the reason for retrieving it, if the retriever gives one."""
    return one if isinstance(one, ChosenSentence) else ChosenSentence(one.sentence, one.url)
