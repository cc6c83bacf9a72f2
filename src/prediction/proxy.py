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
    name: str,
    options: Options,
    golds: Sequence[Gold],
    guesses: Sequence[Guess],
    *,
    with_baselines: bool = True,
    seed: int | None = 0,
) -> ProxyScores:
    """Return the scores of the verdict model `name` on the predicted evidence; guess k belongs to gold k.

    `options`: its number format and device.
    `with_baselines`: if False, the scores of the baseline are left out.
    `seed`: seed of the resamples for the intervals; None: no intervals are computed.

    Raises InputError for an unknown model, ModelError when it fails.
    """
    model = load_verdict_model(proxy_source(name), Loading(options.dtype, options.device))
    claims = [_evidence(gold, guess) for gold, guess in zip(golds, guesses, strict=True)]
    verdicts = []
    with Progress("proxy", len(claims)) as progress:
        for start in range(0, len(claims), BATCH):
            some = judge(model, claims[start : start + BATCH])
            verdicts += [one.record.pred_label for one in some]
            progress.add(len(some), 0)
    claims_scored = [_scored(gold.label, verdict) for gold, verdict in zip(golds, verdicts, strict=True)]
    return proxy_scores(name, claims_scored, with_baselines=with_baselines, seed=seed)


def proxy_source(name: str) -> Path:
    """Return the folder of the verdict model `name`. Raises InputError if there is none."""
    return existing_model("--proxy", VERDICT_MODELS.get(name, Path(name)), name, tuple(VERDICT_MODELS))


def _evidence(gold: Gold, guess: Guess) -> Evidence:
    pairs = [piece if isinstance(piece, QAPair) else QAPair("", piece) for piece in guess.evidence]
    return Evidence(gold.claim_id, gold.claim, pairs)


def _scored(label: Verdict, verdict: Verdict) -> ClaimScore:
    return ClaimScore(label=label, guessed=verdict, question_only=None, question_answer=0.0, claim_types=[])


def proxy_scores(model: str, claims: Sequence[ClaimScore], *, with_baselines: bool, seed: int | None) -> ProxyScores:
    """Return the scores of the verdict model `model`. Only the verdicts of `claims` are read."""
    tally = Tally(claims)
    reached = tally.scores().veracity
    bounds = intervals(tally, seed).veracity if seed is not None else {}
    trivial = Tally(always_refuted(claims)).scores().veracity if with_baselines else {}
    return ProxyScores(
        model=model,
        accuracy=reached["acc"],
        macro_f1=reached["macro"],
        accuracy_interval=bounds.get("acc"),
        macro_f1_interval=bounds.get("macro"),
        always_refuted_accuracy=trivial.get("acc"),
        always_refuted_macro_f1=trivial.get("macro"),
    )
