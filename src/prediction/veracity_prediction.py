"""Step: predict the verdict on each claim from its evidence.

Reads the evidence and writes one JSON list of predictions. A claim without evidence is Not Enough Evidence, and no
model is asked. The flags are the published ones. A published checkpoint is used only if it exists; else our own model
judges, and without that a language model scores the four labels.
"""

from src.pipeline.judge import JudgeSettings, judge_job
from src.runner.job import run
from src.runner.step import step


@step(JudgeSettings)
def main(settings: JudgeSettings) -> int:
    return run(judge_job(settings))


if __name__ == "__main__":
    raise SystemExit(main())
