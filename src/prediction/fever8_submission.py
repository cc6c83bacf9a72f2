"""Step: convert predictions to the submission file of FEVER-8, a CSV table.

    python -m src.prediction.fever8_submission

A line has the columns id, claim, evi, label and split. In evi, each question is followed by its answer.
`evaluate_veracity` gives the table the scores of the predictions.

Limitations: tabs in questions and answers become spaces, since tabs end them in the table. Carriage returns become line
feeds.
"""

from src.pipeline.submit_fever8 import Fever8Settings, write_fever8
from src.runner.step import step


@step(Fever8Settings)
def main(settings: Fever8Settings) -> int:
    return write_fever8(settings)


if __name__ == "__main__":
    raise SystemExit(main())
