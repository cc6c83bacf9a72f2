"""Program strategy: rules split the claim into a program of questions and statements, its steps. An entailment model
answers them from the claim's pages.

The answered steps are the evidence. A passage that only repeats the claim answers no step. A program's result has no
probability, and the accuracy of programs was not measured on held-out claims. The claim is therefore always undecided,
with evidence for and against it. The trace has the confidence of each step.
"""

from collections.abc import Sequence
from pathlib import Path

from src.check.models import ENTAILMENT, Models
from src.check.pages import Pages
from src.check.records import CheckRequest, Decisive, ProgressEvent, Stage, StrategyResult
from src.check.run_context import RunContext
from src.claims import ClaimText
from src.errors import ModelError
from src.programs.answerers.evidence import StoreEvidence
from src.programs.answerers.settings import AnsweringSettings, small_answers
from src.programs.interpreter import executed
from src.programs.predictions import Piece, evidence_pairs, pieces, prediction
from src.records import Claim, Side
from src.stance.reader import StanceReader
from src.stance.records import Passage, Stance


def by_program(
    claim: Claim, request: CheckRequest, pages: Pages, models: Models, context: RunContext
) -> StrategyResult:
    """Check a claim by the program strategy. Raises ModelError, StoreError, MissingExtra or Cancelled."""
    context.wait_for("planner", "entailment", "reader")
    with context.stage(Stage.PROGRAM):
        (planned,) = models.planner.generate([ClaimText(claim.claim_id, claim.claim)])
        for text in planned.record.programs:
            context.tell(ProgressEvent(Stage.PROGRAM, text=text))
    with context.stage(Stage.STEPS):
        answering = _settings()
        source = StoreEvidence(pages.store, answering.step_top_k, claims={claim.claim_id: claim.claim})
        (done,) = executed([planned.record], small_answers(answering, models.entailment, source))
        if done.failure:
            raise ModelError(done.failure)
    trace = done.record
    with context.stage(Stage.VERDICT):
        most = models.most_pairs(request)
        (pairs,) = evidence_pairs([trace], most)
        stances = _stances(claim.claim, pieces(trace, most), models.reader)
    return StrategyResult(prediction(trace, pairs), Decisive(), [], trace, stances)


def _settings() -> AnsweringSettings:
    """Return the settings for answering steps: the defaults of `execute_programs --setting open`, with the entailment
    model.

    The pages are in memory, so `knowledge_store_dir` is set only because it is required; no folder is read.
    """
    return AnsweringSettings(setting="open", entailment=ENTAILMENT, knowledge_store_dir=Path()).with_defaults()


def _stances(claim: str, evidence: Sequence[Piece], reader: StanceReader) -> list[Stance]:
    """Return the stance of each piece of evidence toward the claim, judged by its sentences.

    A piece without sentences is NEITHER, with both probabilities 0.
    """
    texts = [" ".join(one.sentences) for one in evidence]
    (read,) = reader.stances([(claim, [Passage(text) for text in texts if text])])
    stances = iter(read)
    return [next(stances) if text else Stance(Side.NEITHER, 0.0, 0.0) for text in texts]
