"""Step: check each claim with one call to a language model, from its ranked passages.

    python -m src.reranking.bm25_sentences --retriever hybrid --passages --top_k 10
    python -m src.prediction.one_call --llm openai:MODEL

The model is shown the claim, numbered sources and examples, and writes question-answer pairs with quotes, a
justification, and its agreement with each label. Pairs whose quote is not in their source are dropped and counted.
"""

from src.pipeline.one_call import OneCallSettings, one_call_job
from src.runner.job import run
from src.runner.step import step


@step(OneCallSettings)
def main(settings: OneCallSettings) -> int:
    return run(one_call_job(settings))


if __name__ == "__main__":
    raise SystemExit(main())
