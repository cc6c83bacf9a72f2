"""Step: train a language model to write the question that a sentence answers about a claim.

The base is any causal model by name; the default is the bundled one. It learns a LoRA from AVeriTeC's answers and
questions. The output folder is an input of `--adapter` of `src.reranking.question_generation_top_sentences`.

Limitations: that step shows the claim and reads adapters. It does not take models trained with --no_claim (an
ablation) or --rank 0 (a whole model).
"""

from functools import partial

from src.runner.step import step
from src.training.questions import QuestionSettings, question_task
from src.training.run import train


@step(QuestionSettings)
def main(settings: QuestionSettings) -> int:
    return train("question_generator", settings, settings.recipe(), partial(question_task, settings), settings.inputs())


if __name__ == "__main__":
    raise SystemExit(main())
