"""The page of a claim as HTML, with its contents taken from a run or from a check."""

from src.check.decisive import what_would_change
from src.check.records import CheckedClaim, Decisive
from src.check.reliance import AS_READ, CAUTION, headline, leveled, reliance, why_undecided
from src.evaluation.averitec import ClaimScore, Gold
from src.explanation.records import ExplainedClaim
from src.explanation.text import marked
from src.programs.drawing import drawn
from src.programs.predictions import STEP, VERDICT
from src.programs.records import ClaimTrace
from src.records import Claim, Prediction
from src.report.claim_view import (
    ClaimView,
    debated,
    gold_pairs_of,
    in_order,
    justification_of,
    matched,
    pairs_of,
    retrieved,
)
from src.report.exports.bibliography import archived
from src.report.rendering import Link, page
from src.report.run import Run
from src.retrieval.scraping.page_log import dates_of
from src.runner.output import Failure

SCRIPT = "claim.js"


def claim_page(view: ClaimView, links: tuple[Link, ...] = ()) -> str:
    """Return the HTML of a claim's page; `links` to other pages are at the top."""
    return page("claim.html", script=SCRIPT, view=view, links=links, as_read=f"{AS_READ.capitalize()}.")


def view_of_check(checked: CheckedClaim) -> ClaimView:
    """Return the contents of a claim's page from the result of a check."""
    pairs = pairs_of(checked.prediction.evidence, [one.side for one in checked.stances])
    return ClaimView(
        claim=checked.claim,
        verdict=checked.prediction.pred_label,
        probabilities=in_order(checked.prediction.probabilities),
        pairs=pairs,
        justification=justification_of(checked.explained, checked.findings),
        findings=tuple(checked.findings),
        level=checked.prediction.level,
        open_because=why_undecided(checked.prediction),
        reliance=tuple(reliance(checked.prediction, checked.reliance)),
        decisive=checked.decisive,
        change=what_would_change(checked.prediction, checked.decisive),
        retrieved=retrieved(checked.sentences, pairs),
        programs=drawn(checked.trace) if checked.trace else None,
        pages=tuple(checked.pages),
        fact_checks=tuple(checked.fact_checks),
        checked=f"by {checked.strategy}",
        checked_at=checked.checked_at,
        models=tuple(checked.models.items()),
        dates=dates_of(checked.pages),
        seconds=tuple(checked.seconds.items()),
        without=_without(checked.decisive),
        archived=_archived(checked),
        summary=summary(checked),
        notes=tuple(note for note in checked.notes if note != CAUTION),  # it is at the foot of the page
    )


def _without(decisive: Decisive) -> dict[str, str]:
    """Return the verdict without each set of pieces, in words; empty if not every set was tried."""
    if not decisive.together and len(decisive.alone) != 1:
        return {}
    sets = (*decisive.alone, *decisive.together)
    return {",".join(map(str, one.evidence_ids)): leveled(one.verdict, one.level) for one in sets}


def _archived(checked: CheckedClaim) -> dict[str, str]:
    """Return where the Internet Archive may have a copy of each page, by URL."""
    copies = {log.url: archived(log.url, log.fetched_at) for log in checked.pages}
    return {url: copy for url, copy in copies.items() if copy}


def summary(checked: CheckedClaim) -> str:
    """Return claim, verdict, justification and sources as text to copy."""
    pairs = enumerate(checked.prediction.evidence, start=1)
    sources = [f"[{number}] {pair.url}" for number, pair in pairs if pair.url]
    lines = [checked.claim.claim, headline(checked.prediction), marked(checked.explained), *sources]
    return "\n".join([*lines, f"Checked on {checked.checked_at:%Y-%m-%d} by models that err: read the sources."])


def view_of_run(
    run: Run, prediction: Prediction, gold: Gold | None = None, score: ClaimScore | None = None
) -> ClaimView:
    """Return the contents of a claim's page in a run. `gold` and `score` are given if the claim has a label.

    Raises MissingExtra without NLTK 3.9.1 and its data.
    """
    claim_id = prediction.claim_id
    claim = run.claims.get(claim_id) or Claim(prediction.claim, claim_id)
    pairs, gold_pairs = pairs_of(prediction.evidence, prediction.sides or ()), gold_pairs_of(claim)
    if gold is not None:
        pairs, gold_pairs = matched(pairs, gold_pairs, gold)
    explained = run.explanations.get(claim_id) or _of_prediction(prediction)
    findings = tuple(run.findings.get(claim_id, ()))
    ranked, trace, failures = run.sentences.get(claim_id), run.traces.get(claim_id), failures_of(run, claim_id)
    return ClaimView(
        claim=claim,
        verdict=prediction.pred_label,
        probabilities=in_order(prediction.probabilities),
        pairs=pairs,
        gold=gold_pairs,
        score=score,
        justification=justification_of(explained, findings),
        findings=findings,
        level=prediction.level,
        open_because=why_undecided(prediction),
        reliance=tuple(reliance(prediction, None)),
        retrieved=retrieved(ranked.sentences if ranked else (), pairs),
        programs=drawn(trace) if trace else None,
        are_programs_apart=trace is not None and _is_apart(run, trace, prediction),
        debate=debated(explained),
        failures=failures,
    )


def failures_of(run: Run, claim_id: int) -> tuple[Failure, ...]:
    """Return the records of the steps in which the claim failed, in the order of the pipeline."""
    return tuple(one for step in run.steps for one in step.failures if one.claim_id == claim_id)


def _is_apart(run: Run, trace: ClaimTrace, prediction: Prediction) -> bool:
    """Return True if the verdict certainly does not come from the claim's programs.

    That is so if the programs have another verdict, or another step than the execution of programs wrote the verdicts.
    """
    return VERDICT[trace.value] is not prediction.pred_label or run.step_of("verdicts") not in ("", STEP)


def _of_prediction(one: Prediction) -> ExplainedClaim:
    """Return the justification of a prediction as the record of an explanation, without citations."""
    return ExplainedClaim(one.claim_id, one.claim, one.pred_label, explanation=one.justification)
