"""Step: all stages in turn, from claims to an eval.ai submission, its scores and the reasons of each verdict.

All results go to --output_dir under the split's name. Started again after an interruption, it goes on where it was.
Exit code: 0 done, 1 some claims failed, 2 bad input.
"""

from src.pipeline.run import run_pipeline
from src.pipeline.settings import PipelineSettings
from src.runner.step import step


@step(PipelineSettings)
def main(settings: PipelineSettings) -> int:
    return run_pipeline(settings)


if __name__ == "__main__":
    raise SystemExit(main())
