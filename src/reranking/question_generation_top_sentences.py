"""Step: for each of a claim's sentences, the question that it answers, written by a language model.

Reads the ranked sentences and, for in-context examples, a reference corpus. Writes one line per claim with its
candidates `[question, answer, url]` in the order of the sentences. `--llm bigscience/bloom-7b1` follows the published
recipe. A model with an adapter was trained to write questions: it sees the claim and needs no examples.
"""

from src.pipeline.ask import AskSettings, ask_job
from src.runner.job import run
from src.runner.step import step


@step(AskSettings)
def main(settings: AskSettings) -> int:
    return run(ask_job(settings))


if __name__ == "__main__":
    raise SystemExit(main())
