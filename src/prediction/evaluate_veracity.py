"""Step: score predicted evidence and verdicts against the gold claims: the published metric, intervals and baselines.

    python -m src.prediction.evaluate_veracity -i data_store/dev_veracity_prediction.json --label_file data/dev.json

Prints the lines of the published scorer and, beside each number, its 95 % interval and two trivial baselines; `--json`
writes these scores to a file. `--ev2r` adds the scores by a judge. Predictions are joined with the claims by claim_id.

Limitations: no METEOR of justifications.
"""

from src.pipeline.score import ScoreSettings, score
from src.runner.step import step


@step(ScoreSettings)
def main(settings: ScoreSettings) -> int:
    return score(settings)


if __name__ == "__main__":
    raise SystemExit(main())
