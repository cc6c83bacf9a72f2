"""The five scores that systems are compared by."""

from src.evaluation.aggregate import Scores, V

FIGURES = ("Q", "Q+A", "@.25", "accuracy", "macro-F1")


def main_figures(scores: Scores[V]) -> dict[str, V | None]:
    """By name; Q is None where the predictions have no questions of their own."""
    level, judged = scores.averitec["0.25"], scores.veracity
    values = (scores.question_only, scores.question_answer, level, judged["acc"], judged["macro"])
    return dict(zip(FIGURES, values, strict=True))
