"""The five main scores by which systems are compared."""

from src.evaluation.aggregate import Scores, V

FIGURES = ("Q", "Q+A", "@.25", "accuracy", "macro-F1")


def main_figures(scores: Scores[V]) -> dict[str, V | None]:
    """Return the scores by name; Q is None if the predictions have no separate questions."""
    level, judged = scores.averitec["0.25"], scores.veracity
    values = (scores.question_only, scores.question_answer, level, judged["acc"], judged["macro"])
    return dict(zip(FIGURES, values, strict=True))
