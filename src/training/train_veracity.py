"""Step: train a classifier to give the verdict on a claim from its evidence.

`--recipe joint` reads a claim with all its evidence at once: gold, mixed and retrieved. `--recipe published` is the
published classifier of single answers. The base is an encoder, or (joint recipe) a language model, which learns to
answer in one word. The output folder is an input of `-ckpt` of `src.prediction.veracity_prediction`.

Limitations: the published recipe has the published examples, labels, learning rate, batch, epochs and choice of
weights. The head is ours (on the mean of the word vectors), word embeddings are not trained, and the learning rate
falls to 0.
"""

from functools import partial

from src.runner.step import step
from src.training.run import train
from src.training.verdicts.task import VerdictSettings, verdict_task


@step(VerdictSettings)
def main(settings: VerdictSettings) -> int:
    return train("veracity", settings, settings.chosen_recipe(), partial(verdict_task, settings), settings.inputs())


if __name__ == "__main__":
    raise SystemExit(main())
