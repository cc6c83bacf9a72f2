"""Step: train a cross-encoder to distinguish evidence for a claim from text that only resembles it.

The base is any BERT-like model by name; the default is the bundled MiniLM. The output folder is an input of `-ckpt` of
`src.reranking.rerank_questions`.
"""

from functools import partial

from src.runner.step import step
from src.training.ranking import RerankerSettings, reranker_task
from src.training.run import train


@step(RerankerSettings)
def main(settings: RerankerSettings) -> int:
    return train("reranker", settings, settings.recipe(), partial(reranker_task, settings), settings.inputs())


if __name__ == "__main__":
    raise SystemExit(main())
