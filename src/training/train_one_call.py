"""Step: train a language model for `src.prediction.one_call`, on gold pairs, justifications and labels.

    python -m src.reranking.bm25_sentences --retriever hybrid --passages --top_k 10 -c CLAIMS -k STORES -o TOP
    python -m src.training.train_one_call -i TOP -o pretrained_models/one_call
    python -m src.prediction.one_call --llm qwen2.5-coder-1.5b:transformers --adapter pretrained_models/one_call \\
        --sources 5 --top_n 4 --num_examples 0

The output folder is an input of `--adapter`. The adapter works with the numbers of sources and pairs that it was
trained with, and without examples, which saves more than half of the tokens. CLAIMS and STORES are claims of train with
their knowledge stores, such as those of `bench.one_call.train_stores`.

Limitations: long prompts make a step slow without a GPU: on two cores, some hundred claims take an hour or two.
"""

from functools import partial

from src.one_call.adapter import TASK
from src.runner.step import step
from src.training.one_call import OneCallTraining, one_call_task
from src.training.run import train


@step(OneCallTraining)
def main(settings: OneCallTraining) -> int:
    return train(TASK, settings, settings.recipe(), partial(one_call_task, settings), settings.inputs())


if __name__ == "__main__":
    raise SystemExit(main())
