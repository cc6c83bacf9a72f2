"""Stage: build the submission of FEVER-9 (AVerImaTeC) for text claims: evidence as statements, without images."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import msgspec

from src.explanation.text import unmarked
from src.one_call.prompt import EvidenceForm
from src.records import ClaimId, Prediction, QAPair, Verdict
from src.runner.claim_range import ClaimJobSettings, in_range
from src.runner.engine import Engine
from src.runner.job import Job
from src.runner.manifest import read_manifest
from src.runner.outcome import Outcome
from src.runner.sharding import in_shard, input_file
from src.settings import Flag
from src.store import read_by_claim

STEP = "src.prediction.fever9_submission"


class Statement(msgspec.Struct, frozen=True):
    """A piece of evidence of FEVER-9: a statement, and the images that belong to it."""

    text: str
    images: tuple[str, ...] = ()


class Fever9Claim(msgspec.Struct, frozen=True):
    """An entry of the submission."""

    id: ClaimId
    questions: list[str]
    evidence: list[Statement]
    verdict: Verdict
    justification: str


class Fever9Settings(ClaimJobSettings, frozen=True, kw_only=True):
    """Settings of `fever9_job`."""

    prediction_file: Annotated[Path, Flag("predictions", "-i", "--prediction_file")] = Path(
        "data_store/dev_veracity_prediction.json"
    )
    output: Annotated[Path, Flag("the submission", "-o", "--output_file")] = Path(
        "data_store/dev_fever9_submission.json"
    )
    evidence: Annotated[
        EvidenceForm | None,
        Flag("answers that are statements, or that need their question before them (default: as one_call wrote them)"),
    ] = None


def fever9_job(settings: Fever9Settings) -> Job[Prediction, Fever9Claim]:
    """Return the job that converts a file of predictions. Raises InputError for bad input."""
    source = input_file(settings.prediction_file, "src.prediction.one_call", settings.range)
    everyone = read_by_claim(source, Prediction)
    settings = in_shard(settings, everyone, source)
    form = settings.evidence or _form_of(source)
    return Job(
        step=STEP,
        settings=settings,
        claims=in_range(everyone, settings.range.start, settings.range.end, source),
        inputs={"prediction_file": source},
        start=lambda: Engine(work=partial(_converted, form)),
        without_result=partial(fever9_claim, form),
        as_list=True,
        on_cluster="tasks",
    )


def fever9_claim(form: EvidenceForm, claim: Prediction) -> Fever9Claim:
    """Return a prediction as an entry of the submission; the marks of citations are left out of its justification."""
    return Fever9Claim(
        claim.claim_id,
        [pair.question for pair in claim.evidence],
        [Statement(_statement(form, pair)) for pair in claim.evidence],
        claim.pred_label,
        unmarked(claim.justification or ""),
    )


def _statement(form: EvidenceForm, pair: QAPair) -> str:
    return pair.answer if form is EvidenceForm.STATEMENTS else f"{pair.question} {pair.answer}"


def _converted(form: EvidenceForm, claims: Sequence[Prediction]) -> list[Outcome[Fever9Claim]]:
    return [Outcome(fever9_claim(form, claim)) for claim in claims]


def _form_of(path: Path) -> EvidenceForm:
    """Return the form in which the answers of a file were asked for, by its manifest; pairs if it does not say."""
    manifest = read_manifest(path)
    asked = manifest.arguments.get("evidence") if manifest else None
    return EvidenceForm.STATEMENTS if asked == EvidenceForm.STATEMENTS else EvidenceForm.PAIRS
