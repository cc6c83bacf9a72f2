"""Step: the best question-answer pairs of each claim, as its evidence.

Reads the candidates, writes one line per claim with its `--top_n` best pairs, best first. The flags are the published
ones. By default the published checkpoint ranks if it is installed. Without it our own model ranks, and without that the
cosine of sentence embeddings.
"""

from src.pipeline.select import SelectSettings, select_job
from src.runner.job import run
from src.runner.step import step


@step(SelectSettings)
def main(settings: SelectSettings) -> int:
    return run(select_job(settings))


if __name__ == "__main__":
    raise SystemExit(main())
