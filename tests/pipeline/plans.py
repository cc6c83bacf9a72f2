"""Access to the parts of a plan that tests look at."""

from src.pipeline.plan import Plan, QuestionPlan


def questions(made: Plan) -> QuestionPlan:
    """Return the stages of the question strategy, which the plan must have."""
    assert made.questions is not None
    return made.questions
