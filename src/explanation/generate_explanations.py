"""Step: explain verdicts by their evidence; each sentence has the numbers of the evidence that it cites.

Reads one of: predictions; JSON lines of claims that have a label and either evidence or a source text; PolitiHop's
table. Writes one line per claim. --method says who writes the explanation:
- `template` needs no model: one or two sentences of the evidence, then the verdict.
- `stance` reads the evidence with the entailment model. It says "so the claim is ..." only if a cited sentence proves
  the verdict.
- `reasoning` keeps the text that the verdict model wrote before its verdict. Without such a text it works as `stance`.
- `zero_shot` and `cot` ask a language model. The model reads all evidence, or the --source_words words of it that are
  nearest to the claim.

`--predictions` also writes a list of predictions with the explanations as justifications.
"""

from typing import Annotated

import msgspec

from src.explanation.justified import JustifiedPredictions
from src.pipeline.explain import ExplainSettings, explain
from src.runner.step import step
from src.settings import Group


class GenerateSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the step: those of the pipeline's stage `explain`, and a second output."""

    explain: Annotated[ExplainSettings, Group()] = ExplainSettings()
    justified: Annotated[JustifiedPredictions, Group()] = JustifiedPredictions()


@step(GenerateSettings)
def main(settings: GenerateSettings) -> int:
    return explain(settings.explain, settings.justified)


if __name__ == "__main__":
    raise SystemExit(main())
