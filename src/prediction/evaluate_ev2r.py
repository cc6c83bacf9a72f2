"""Step: score predicted evidence by a judge that compares it with the gold evidence: Ev2R, with intervals, baselines.

    python -m src.prediction.evaluate_ev2r -i data_store/dev_veracity_prediction.json --label_file data/dev.json
    python -m src.prediction.evaluate_ev2r --judge openai:MODEL@BASE_URL --cache_dir cache --json scores.json

Prints recall, precision and F1 of questions and of evidence, and the new AVeriTeC score at both official thresholds.
Claims that the judge did not answer, or whose answers cannot be read, are counted apart and are in no mean. The exit
code is then 1. With `--cache_dir`, a language model is asked nothing twice, so a stopped run goes on from there.

Limitations: scores of different judges are not comparable. A stopped run of the small models begins anew.
"""

from src.pipeline.score import Ev2RSettings, score_by_judge
from src.runner.step import step


@step(Ev2RSettings)
def main(settings: Ev2RSettings) -> int:
    return score_by_judge(settings)


if __name__ == "__main__":
    raise SystemExit(main())
