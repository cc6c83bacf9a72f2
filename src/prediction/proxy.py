"""Proxy scorer of evidence: a verdict model reads the predicted evidence, and is scored against the gold labels.

Of the scorers in the paper's meta-evaluation (`src/ev2r/records.py`), this one followed people's ratings of verdict
agreement best. The verdicts of the prediction are not read. A claim without evidence is Not Enough Evidence.
"""

from collections.abc import Sequence
from pathlib import Path

from src.ev2r.scores import ProxyScores
from src.evaluation.aggregate import Tally, intervals
from src.evaluation.averitec import ClaimScore, Gold, Guess
from src.evaluation.baselines import always_refuted
from src.llm import Options
from src.models.bert import existing_model
from src.prediction.verdicts import VERDICT_MODELS, Loading, judge, load_verdict_model
from src.records import Evidence, QAPair, Verdict
from src.runner.console import Progress

BATCH = 10  # claims


def read_by_proxy(
    name: str, options: Options, golds: Sequence[Gold], guesses: Sequence[Guess], seed: int
) -> ProxyScores:
    """Return the scores of the verdict model `name` on the predicted evidence; guess k belongs to gold k.

    `options` has the number format and device. Raises InputError for an unknown model, ModelError when it fails.
    """
    source = existing_model("--proxy", VERDICT_MODELS.get(name, Path(name)), name, tuple(VERDICT_MODELS))
    model = load_verdict_model(source, Loading(options.dtype, options.device))
    claims = [_evidence(gold, guess) for gold, guess in zip(golds, guesses, strict=True)]
    verdicts = []
    with Progress("proxy", len(claims)) as progress:
        for start in range(0, len(claims), BATCH):
            some = judge(model, claims[start : start + BATCH])
            verdicts += [one.record.pred_label for one in some]
            progress.add(len(some), 0)
    return _scores(name, [gold.label for gold in golds], verdicts, seed)


def _evidence(gold: Gold, guess: Guess) -> Evidence:
    pairs = [piece if isinstance(piece, QAPair) else QAPair("", piece) for piece in guess.evidence]
    return Evidence(gold.claim_id, gold.claim, pairs)


def _scores(model: str, labels: Sequence[Verdict], verdicts: Sequence[Verdict], seed: int) -> ProxyScores:
    """Return the scores of a verdict model's `verdicts` against the gold `labels`; `model` is its name."""
    claims = [
        ClaimScore(label=label, guessed=verdict, question_only=None, question_answer=0.0, claim_types=[])
        for label, verdict in zip(labels, verdicts, strict=True)
    ]
    tally = Tally(claims)
    bounds = intervals(tally, seed)
    reached, trivial = tally.scores().veracity, Tally(always_refuted(claims)).scores().veracity
    return ProxyScores(
        model=model,
        accuracy=reached["acc"],
        macro_f1=reached["macro"],
        accuracy_interval=bounds.veracity["acc"],
        macro_f1_interval=bounds.veracity["macro"],
        always_refuted_accuracy=trivial["acc"],
        always_refuted_macro_f1=trivial["macro"],
    )
