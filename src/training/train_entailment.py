"""Step: train a classifier to decide if passages entail a sentence, contradict it, or neither.

The base is an encoder, which gets a head, or a language model, which learns to answer in one word.

The model learns from AVeriTeC's claims with their gold answers. If they are given, it also learns from an inference
pack of public sets, and from claims of HOVER and FEVEROUS-S with their gold passages. With --pack_only it learns from
sets of the pack alone. The output folder is an input of `--entailment` of `src.programs.execute_programs`, and of
`--encoder` of `src.programs.few_shot`.
"""

from functools import partial

from src.runner.step import step
from src.training.entailment.task import EntailmentSettings, entailment_task
from src.training.run import train


@step(EntailmentSettings)
def main(settings: EntailmentSettings) -> int:
    return train("entailment", settings, settings.recipe(), partial(entailment_task, settings), settings.inputs())


if __name__ == "__main__":
    raise SystemExit(main())
