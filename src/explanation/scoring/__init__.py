"""Scores of explanations: by the checks, against gold justifications, by a judge model, beside people's ratings."""
