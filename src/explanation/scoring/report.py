"""Report on the explanations of several methods: findings of the checks, cost, and the other scores.

Findings are compared on the same claims, with paired differences. For refined explanations, the findings in their
drafts are included; a claim without a debate is its own draft.

Cost is the number of model calls, tokens and seconds per explanation. It comes from the debates and from the manifests
of the files. The manifest of a file has the totals of the step that wrote it. It also names the input of this step,
whose manifest has the totals of the drafts. The lines of a refined file have exact calls and tokens, so these are
counted for the compared claims only. They include drafts of the same run, debated or not.

Limitations: costs from a manifest are means over its whole run; seconds always are. Replies from a cache count as
calls. Drafts from a file without a manifest count nothing.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np

from src.evaluation.bootstrap import Figure, Floats, Statistic, figures, mean_of
from src.explanation.checks.checker import Checker
from src.explanation.records import ExplainedClaim, Finding, Item
from src.explanation.scoring.human import Ratings, agreement
from src.explanation.scoring.methods import Explanations
from src.explanation.scoring.records import (
    Checked,
    ClaimFindings,
    Findings,
    GEval,
    Human,
    MeanCost,
    Method,
    Rates,
    Report,
)
from src.explanation.typology import MADR_TYPES
from src.runner.manifest import Manifest, read_manifest
from src.store import sha256
from src.text import sentences

STEPS = "src.explanation."
_COUNTS = ("model_calls", "prompt_tokens", "new_tokens")
_REFINED = "debates"  # this count marks manifests of steps whose lines have their own cost
_FIELDS = ("calls", "prompt_tokens", "new_tokens")


def cost(path: Path, claims: Sequence[ExplainedClaim]) -> MeanCost:
    """Return the mean cost of an explanation over `claims`, including its draft if that cost is known. `path` is their
    file.
    """
    made = runs(path)
    seconds = sum(_per_claim(run, run.seconds.get("work", 0.0)) for run in made) if made else None
    parts = [_counted(run) for run in made]
    known = [one for claim in claims for one in (claim.debate, claim.drafting) if one is not None]
    if known or (made and _REFINED in made[0].counts):
        parts = [[sum(getattr(one, field) for one in known) / len(claims) for field in _FIELDS], *parts[1:]]
    if not parts:
        return MeanCost()
    calls, prompt, new = (sum(values) for values in zip(*parts, strict=True))
    return MeanCost(calls, prompt, new, seconds)


def runs(path: Path) -> list[Manifest]:
    """Return the manifests of the steps that made the file, last step first. The chain ends before a file that has no
    manifest or has changed since it was written.
    """
    manifests: list[Manifest] = []
    at: Path | None = path
    while at is not None:
        manifest = read_manifest(at)
        if manifest is None or not manifest.fingerprint.step.startswith(STEPS) or manifest.output_sha256 != sha256(at):
            break
        manifests.append(manifest)
        at = _made_from(manifest)
    return manifests


def _made_from(manifest: Manifest) -> Path | None:
    source = manifest.fingerprint.inputs.get("explanations_file")
    if source is None:
        return None
    path = Path(source.path)
    return path if path.is_file() and sha256(path) == source.sha256 else None


def _counted(run: Manifest) -> list[float]:
    return [_per_claim(run, run.counts.get(name, 0)) for name in _COUNTS]


def _per_claim(run: Manifest, value: float) -> float:
    return value / max(1, run.fingerprint.claims)


def findings(methods: Sequence[Sequence[ExplainedClaim]], checker: Checker, seed: int) -> list[Findings]:
    """Return the findings of the checks in each method's explanations; all methods have the same claims in the same
    order.
    """
    checked = [_checked(claims, checker) for claims in methods]
    rates = _rates([[one.explanation for one in claims] for claims in checked], seed)
    return [_findings(*one, seed) for one in zip(methods, checked, rates, strict=True)]


def _findings(claims: Sequence[ExplainedClaim], checked: list[ClaimFindings], rates: Rates, seed: int) -> Findings:
    after = [one.explanation for one in checked]
    drafts = [one.draft or one.explanation for one in checked]
    refined = any(one.draft is not None for one in checked)
    before, both = _rates([drafts, after], seed) if refined else (None, None)
    types = Counter(kind for one in after for kind in one.types)
    return Findings(
        sentences=sum(one.sentences for one in after),
        words=sum(len((claim.explanation or "").split()) for claim in claims) / len(claims),
        rates=rates,
        by_type={kind: types[kind] for kind in MADR_TYPES},
        claims=checked,
        before=before,
        refined=both,
    )


def _checked(claims: Sequence[ExplainedClaim], checker: Checker) -> list[ClaimFindings]:
    drafted = [claim for claim in claims if claim.debate is not None and claim.debate.draft.strip()]
    drafts = [msgspec.structs.replace(one, explanation=one.debate.draft) for one in drafted if one.debate is not None]
    checked = _of_texts([*claims, *drafts], checker)
    before = {one.claim_id: draft for one, draft in zip(drafts, checked[len(claims) :], strict=True)}
    pairs = zip(claims, checked, strict=False)
    return [ClaimFindings(claim.claim_id, after, before.get(claim.claim_id)) for claim, after in pairs]


def _of_texts(claims: Sequence[ExplainedClaim], checker: Checker) -> list[Checked]:
    return [_of_text(*one) for one in zip(claims, checker.check(claims), strict=True)]


def _of_text(claim: ExplainedClaim, findings: Sequence[Finding]) -> Checked:
    flagged = len({one.sentence for one in findings})
    return Checked(len(sentences(claim.explanation or "")), flagged, [one.type for one in findings])


def _rates(methods: Sequence[Sequence[Checked]], seed: int) -> list[Rates]:
    """Return the rates of findings of each method, compared with those of the first method."""
    counts = [np.array([float(len(one.types)) for one in claims]) for claims in methods]
    size = len(counts[0])
    lengths = [np.array([float(one.sentences) for one in claims]) for claims in methods]
    columns: list[list[Figure]] = [
        figures([mean_of(one) for one in counts], size, seed),
        figures([_ratio(*one) for one in zip(counts, lengths, strict=True)], size, seed),
        figures([mean_of((one == 0).astype(float)) for one in counts], size, seed),
    ]
    return [Rates(*one) for one in zip(*columns, strict=True)]


def _ratio(top: Floats, bottom: Floats) -> Statistic:
    """Return the statistic sum(top) / sum(bottom) over claims; both arrays have the shape [claims]."""
    return lambda counts: (top @ counts) / (bottom @ counts)


FINDINGS = "findings, negated"


def report(
    methods: Sequence[Explanations], shared: Sequence[Sequence[ExplainedClaim]], checker: Checker, seed: int
) -> Report:
    """Return the report with findings and cost; the scores by gold, judge and people are not set. `shared` has the
    explanations of each method, all on the same claims.
    """
    described = [
        Method(one.name, str(one.path), len(one.claims), len(one.claims) - len(one.explained), cost(one.path, claims))
        for one, claims in zip(methods, shared, strict=True)
    ]
    return Report(described, [claim.claim_id for claim in shared[0]], seed, findings(shared, checker, seed))


def with_people(report: Report, path: Path, ratings: Ratings) -> Human:
    """Return the agreement of the report's metrics (G-Eval, findings) with people's ratings; `path` is the file of the
    ratings.
    """
    names = [one.name for one in report.methods]
    metrics = {**_of_judge(report.geval, names), FINDINGS: _of_checks(report.findings, names)}
    return agreement(path, ratings, names, metrics, report.seed)


def _of_judge(geval: GEval | None, names: Sequence[str]) -> Mapping[str, Mapping[Item, float]]:
    return {
        f"G-Eval, {one.protocol}": {
            (name, claim.claim_id): claim.score
            for name, rating in zip(names, one.methods, strict=True)
            for claim in rating.claims
            if claim.score is not None
        }
        for one in (geval.protocols if geval is not None else [])
    }


def _of_checks(findings: Sequence[Findings], names: Sequence[str]) -> Mapping[Item, float]:
    return {
        (name, claim.claim_id): _negated(claim)
        for name, one in zip(names, findings, strict=True)
        for claim in one.claims
    }  # fmt: skip


def _negated(claim: ClaimFindings) -> float:
    return -float(len(claim.explanation.types))
