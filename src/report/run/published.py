"""Results of other systems on AVeriTeC dev: published predictions for all 500 claims, scored by the evaluator here.

Each system has its own evidence, so the figures compare systems, not verdict models. `docs/results/scoreboard.md`
compares verdict models on equal sentences. The two HerO systems share their evidence.
"""

from typing import NamedTuple

from src.report.run.run import Run

SPLIT, CLAIMS = "dev", 500


class Estimate(NamedTuple):
    """A score with its 95 % interval by resampled claims."""

    value: float
    low: float
    high: float


class PublishedSystem(NamedTuple):
    """Scores of a published system: Q, Q+A, AVeriTeC @.25, accuracy, macro-F1. `source` names its authors and the
    source.
    """

    name: str
    source: str
    question_only: Estimate
    question_answer: Estimate
    averitec: Estimate
    accuracy: Estimate
    macro_f1: Estimate


_ORGANISERS = "Schlichtkrull, Guo and Vlachos, NeurIPS 2023; as kept in skmalviya/AVeriTeC_SKDU, revision 3f1877eb"
_HERO = "Yoon et al., FEVER Workshop 2024; ssu-humane/HerO, revision 9840dfaa"

PUBLISHED = (
    PublishedSystem(
        "Official baseline: BLOOM-7b1 and BERT", _ORGANISERS,
        Estimate(0.240, 0.230, 0.251), Estimate(0.185, 0.178, 0.194), Estimate(0.092, 0.068, 0.120),
        Estimate(0.546, 0.502, 0.588), Estimate(0.321, 0.287, 0.354),
    ),
    PublishedSystem(
        "HerO, Llama-3.1-8B", _HERO,
        Estimate(0.491, 0.476, 0.506), Estimate(0.340, 0.329, 0.353), Estimate(0.526, 0.480, 0.570),
        Estimate(0.702, 0.662, 0.740), Estimate(0.409, 0.365, 0.458),
    ),
    PublishedSystem(
        "HerO, Llama-3.1-70B", _HERO,
        Estimate(0.491, 0.476, 0.506), Estimate(0.340, 0.329, 0.353), Estimate(0.544, 0.500, 0.584),
        Estimate(0.726, 0.686, 0.764), Estimate(0.459, 0.396, 0.517),
    ),
    PublishedSystem(
        "FEVER-8 baseline", "Raldir/FEVER-8-Shared-Task, revision 5bf344fc; its examples come from dev",
        Estimate(0.543, 0.526, 0.560), Estimate(0.364, 0.352, 0.377), Estimate(0.554, 0.508, 0.598),
        Estimate(0.694, 0.654, 0.734), Estimate(0.429, 0.381, 0.479),
    ),
    PublishedSystem(
        "AIC, Qwen3", "heruberuto/FEVER-8-Shared-Task, revision af063d08; answers written by the model",
        Estimate(0.431, 0.417, 0.446), Estimate(0.281, 0.271, 0.291), Estimate(0.384, 0.340, 0.426),
        Estimate(0.680, 0.638, 0.718), Estimate(0.449, 0.403, 0.495),
    ),
    PublishedSystem(
        "UHH, approach 1, top 10", "uhh-hcds/AVeriTec, revision dd8336a9",
        Estimate(0.482, 0.465, 0.497), Estimate(0.298, 0.288, 0.310), Estimate(0.296, 0.254, 0.336),
        Estimate(0.462, 0.418, 0.504), Estimate(0.312, 0.273, 0.348),
    ),
    PublishedSystem(
        "xplainlp", "XplaiNLP/SFEFC-FEVER-8-Shared-Task, revision f04eddb1",
        Estimate(0.351, 0.336, 0.366), Estimate(0.343, 0.332, 0.354), Estimate(0.588, 0.546, 0.632),
        Estimate(0.718, 0.680, 0.754), Estimate(0.366, 0.345, 0.387),
    ),
)  # fmt: skip


def why_not_comparable(run: Run, split: str) -> str:
    """Return why published figures are not comparable to the run's; "" if they are."""
    if not run.is_labelled:
        return "not every claim of this run has a label"
    if split != SPLIT:
        return f"they are of the claims of AVeriTeC's {SPLIT} split, this run is of {split}"
    if [one.claim_id for one in run.predictions] != list(range(CLAIMS)):
        return f"they are of all {CLAIMS} claims of {SPLIT}, this run has {len(run.predictions)}"
    return ""
