"""Step: compare explanations of several methods: findings of the checks, METEOR against gold, G-Eval, people's ratings.
Prints findings per explanation and per sentence, before and after refinement, with paired differences to the first
file, and the cost of an explanation. `--gold` adds METEOR of the justifications, `--judge` G-Eval, `--human` Kendall's
tau-c with people's ratings, and `--paper` the published tables. `--json` saves all scores; `--from` prints them again.
Ratings are the output of `annotate`, or JSON lines: {"claim_id", "method", "ratings": [5, null, 4]}, {"claim_id",
"method", "rating"}; one file needs no "method". `--study` and `--key` name a study that `annotate` drew and its key.
With them only annotators who passed the study's tests count, and the paper's Table 3 is printed.

    python -m src.explanation.evaluate_explanations -i zero_shot=a.json madr=b.json [--gold data/dev.json] [--json FILE]
"""

from src.explanation.scoring.evaluation import EvaluationSettings, evaluated, refuse_all_but_scores
from src.explanation.scoring.records import Report
from src.explanation.scoring.tables import render
from src.runner.console import say
from src.runner.step import step
from src.store import read_json


@step(EvaluationSettings)
def main(settings: EvaluationSettings) -> int:
    if settings.scores is not None:
        refuse_all_but_scores(settings)
        result = read_json(settings.scores, Report)
    else:
        result = evaluated(settings)
    say("\n".join(render(result, with_paper=settings.paper)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
