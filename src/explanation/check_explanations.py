"""Step: check the faithfulness of explanations without a language model; write one line for each finding.

Reads explanations with their evidence or source. Each sentence is compared with the claim and the evidence. Rules check
numbers, names, quantifiers, relevance and the stated verdict. A small tagger finds nine types of errors and confirms or
rejects what the rules find. An entailment model finds the tenth type: justifications that do not bear on the claim. An
explanation without findings has no line. A claim without an explanation is reported and not counted.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

from src.errors import InputError
from src.explanation.checks.checker import (
    Checker,
    chosen_bearing,
    chosen_checker,
    reader_files,
    reader_flag,
    tagger_files,
    tagger_flag,
)
from src.explanation.claims_file import MADE_BY, read_claims_to_explain
from src.explanation.records import ExplainedClaim, Finding
from src.explanation.typology import ErrorType
from src.runner.claim_range import ClaimJobSettings, in_range
from src.runner.console import how_many, say
from src.runner.engine import Engine
from src.runner.job import Job, run
from src.runner.manifest import read_manifest
from src.runner.outcome import Outcome
from src.runner.sharding import in_shard, input_file
from src.runner.step import step
from src.settings import Flag

STEP = "src.explanation.check_explanations"
BATCH = 10  # claims
CHECKED, FLAGGED = "explanations", "flagged"


class CheckSettings(ClaimJobSettings, frozen=True, kw_only=True):
    """Settings of the step `check_explanations`."""

    explanations_file: Annotated[Path, Flag("explanations with their claims and evidence", "-i")] = Path(
        "data_store/dev_explanations.json"
    )
    output: Annotated[Path, Flag("findings, one a line", "-o", "--output_file")] = Path("data_store/dev_flags.json")
    tagger: Annotated[str | None, tagger_flag()] = None
    reader: Annotated[str | None, reader_flag()] = None


@step(CheckSettings)
def main(settings: CheckSettings) -> int:
    job = check_job(settings)
    code = run(job)
    manifest = read_manifest(job.output)
    if manifest is not None and not settings.dry_run:
        for line in _summary(manifest.counts, len(job.claims)):
            say(f"check_explanations: {line}", quiet=settings.quiet)
    return code


def check_job(settings: CheckSettings) -> Job[ExplainedClaim, list[Finding]]:
    """Return the job that checks a file of explanations. Raises InputError for bad input."""
    source = input_file(settings.explanations_file, MADE_BY, settings.range)
    everyone = read_claims_to_explain(source)
    if not any(map(_is_explained, everyone)):
        raise InputError("holds no explanation to check", path=source)
    settings = in_shard(settings, everyone, source)
    reading, notes = reader_files(settings.reader, settings.tagger)
    return Job(
        step=STEP,
        settings=settings,
        claims=in_range(everyone, settings.range.start, settings.range.end, source),
        inputs={"explanations_file": source, **tagger_files(settings.tagger), **reading},
        start=lambda: _start(settings.tagger, reading, notes),
        without_result=lambda claim: [],
        flat=True,
        batch=BATCH,
        numbered=sorted(everyone, key=lambda claim: claim.claim_id),
    )


def _start(
    tagger: str | None, reading: Mapping[str, Path], notes: Sequence[str]
) -> Engine[ExplainedClaim, list[Finding]]:
    checker = chosen_checker(tagger, chosen_bearing(reading))
    return Engine(lambda claims: _check(checker, claims), notes=notes)


def _check(checker: Checker, claims: Sequence[ExplainedClaim]) -> list[Outcome[list[Finding]]]:
    explained = [claim for claim in claims if _is_explained(claim)]
    findings = dict(zip((claim.claim_id for claim in explained), checker.check(explained), strict=True))
    return [_outcome(findings.get(claim.claim_id)) for claim in claims]


def _outcome(findings: list[Finding] | None) -> Outcome[list[Finding]]:
    """Return the outcome of a claim; None: it has no explanation."""
    if findings is None:
        return Outcome([])
    return Outcome(findings, {CHECKED: 1, FLAGGED: int(bool(findings)), **Counter(one.type.value for one in findings)})


def _is_explained(claim: ExplainedClaim) -> bool:
    return bool((claim.explanation or "").strip())


def _summary(counts: Mapping[str, int], claims: int) -> list[str]:
    checked, flagged = counts.get(CHECKED, 0), counts.get(FLAGGED, 0)
    by_type = [f"{kind.full_name} {counts[kind.value]}" for kind in ErrorType if kind.value in counts]
    empty = [f"{how_many(claims - checked, 'claim')} without an explanation"] if checked < claims else []
    return [*empty, f"{flagged} of {how_many(checked, 'explanation')} flagged", *by_type]


if __name__ == "__main__":
    raise SystemExit(main())
