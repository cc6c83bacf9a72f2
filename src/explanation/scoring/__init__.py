"""Scores of explanations: findings of the checks, METEOR against gold justifications, G-Eval, people's ratings."""
