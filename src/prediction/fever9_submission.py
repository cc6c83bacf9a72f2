"""Step: convert predictions to the submission file of FEVER-9 (AVerImaTeC) for text claims.

    python -m src.prediction.one_call --evidence statements --llm openai:MODEL
    python -m src.prediction.fever9_submission

The file is a JSON list of {id, questions, evidence: [{text, images}], verdict, justification}. Answers that were asked
for as statements are the evidence; others have their question before them, since an answer alone says too little.

Limitations: text claims only; `images` is empty.
"""

from src.pipeline.submit_fever9 import Fever9Settings, fever9_job
from src.runner.job import run
from src.runner.step import step


@step(Fever9Settings)
def main(settings: Fever9Settings) -> int:
    return run(fever9_job(settings))


if __name__ == "__main__":
    raise SystemExit(main())
