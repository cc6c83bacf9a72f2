"""Step: explain verdicts by their evidence; each sentence has the numbers of the evidence that it cites.

Reads predictions, lines of claims with a label and evidence or a source, or PolitiHop; writes one line per claim.
`template` needs no model: one or two sentences of the evidence, then the verdict. `stance` reads the evidence with the
entailment model and says "so the claim is ..." only if a cited sentence proves the verdict. `reasoning` keeps the text
that the verdict model wrote before its verdict; without such a text it works as `stance`. `zero_shot` and `cot` ask a
language model, which reads the evidence nearest to the claim. `--predictions` also writes a list of predictions with
the explanations as justifications.
"""

from typing import Annotated

import msgspec

from src.errors import InputError
from src.explanation.justified import JustifiedPredictions
from src.pipeline.explain import ExplainSettings, explain_job
from src.runner.job import run
from src.runner.step import step
from src.settings import Group


class GenerateSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the step: those of the stage, and a second output."""

    explain: Annotated[ExplainSettings, Group()] = ExplainSettings()
    justified: Annotated[JustifiedPredictions, Group()] = JustifiedPredictions()


@step(GenerateSettings)
def main(settings: GenerateSettings) -> int:
    if settings.justified.predictions is not None and settings.explain.politihop is not None:
        raise InputError("--predictions goes with --claims_file: PolitiHop has none")
    job = explain_job(settings.explain)
    settings.justified.check(job.output, job.inputs)
    code = run(job)
    if not settings.explain.dry_run:
        settings.justified.write(job.inputs.get("claims_file", job.output), job.output)
    return code


if __name__ == "__main__":
    raise SystemExit(main())
