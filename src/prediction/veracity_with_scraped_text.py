"""Step: add the text of its page to each piece of evidence; the result is the submission file.

Reads the predictions and the knowledge store; every claim of the input stays in the output. If a page was scraped more
than once, its last non-empty text is used. Evidence without a page in the store gets an empty text.
"""

from src.pipeline.submit import SubmitSettings, submit_job
from src.runner.job import run
from src.runner.step import step


@step(SubmitSettings)
def main(settings: SubmitSettings) -> int:
    return run(submit_job(settings))


if __name__ == "__main__":
    raise SystemExit(main())
