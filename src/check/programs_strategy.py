"""Program strategy: rules plan a program, an entailment model answers its steps from the claim's pages.

The steps are the evidence. A passage that only repeats the claim answers no step. A program's result has no
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


def by_program(claim: Claim, asked: CheckRequest, pages: Pages, models: Models, watch: RunContext) -> StrategyResult:
    """Check a claim by the program strategy. Raises ModelError, StoreError, MissingExtra or Cancelled."""
    with watch.stage(Stage.PROGRAM):
        (planned,) = models.planner.generate([ClaimText(claim.claim_id, claim.claim)])
        for text in planned.record.programs:
            watch.tell(ProgressEvent(Stage.PROGRAM, text=text))
    with watch.stage(Stage.STEPS):
        answering = _settings()
        source = StoreEvidence(pages.store, answering.step_top_k, claims={claim.claim_id: claim.claim})
        (done,) = executed([planned.record], small_answers(answering, models.entailment, source))
        if done.failure:
            raise ModelError(done.failure)
    trace = done.record
    with watch.stage(Stage.VERDICT):
        (pairs,) = evidence_pairs([trace], asked.top_n)
        stances = _stances(claim.claim, pieces(trace, asked.top_n), models.reader)
    return StrategyResult(prediction(trace, pairs), Decisive(), [], trace, stances)


def _settings() -> AnsweringSettings:
    """Return the settings for answering steps: the defaults of `execute_programs --setting open`, with the entailment
    model.

    Steps are answered from pages in memory; the path of the store is not read.
    """
    return AnsweringSettings(setting="open", entailment=ENTAILMENT, knowledge_store_dir=Path()).with_defaults()


def _stances(claim: str, found: Sequence[Piece], reader: StanceReader) -> list[Stance]:
    """Return the stance of each piece of evidence, read from its sentences; NEITHER for a piece without sentences."""
    texts = [" ".join(one.sentences) for one in found]
    (read,) = reader.stances([(claim, [Passage(text) for text in texts if text])])
    stances = iter(read)
    return [next(stances) if text else Stance(Side.NEITHER, 0.0, 0.0) for text in texts]
