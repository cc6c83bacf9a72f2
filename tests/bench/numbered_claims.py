"""Four refuted claims, each with a question and its answer."""

from src.records import Answer, AnswerType, Claim, Question, Verdict

CLAIMS = [
    Claim(
        f"Claim {n}.",
        n,
        label=Verdict.REFUTED,
        questions=[Question(f"Which one is {n}?", [Answer(f"It is {n}.", AnswerType.EXTRACTIVE)])],
    )
    for n in range(4)
]
