"""Step: train a tagger to find the words of an explanation that are unfaithful to its evidence, and their error type.

The tagger learns from gold justifications of AVeriTeC's claims and, if they are given, from sentences of PolitiHop's
rulings, with errors planted in them. The output folder is an input of `--tagger` of
`src.explanation.check_explanations`.
"""

from functools import partial

from src.runner.step import step
from src.training.faithfulness import TaggerSettings, faithfulness_task
from src.training.run import train


@step(TaggerSettings)
def main(settings: TaggerSettings) -> int:
    return train("faithfulness", settings, settings.recipe(), partial(faithfulness_task, settings), settings.inputs())


if __name__ == "__main__":
    raise SystemExit(main())
