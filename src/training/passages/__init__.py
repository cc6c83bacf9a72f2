"""Claims with passages as a pipeline finds them: decisive passages are mixed with others, or missing.

Verdict models are trained on the training claims. The stacker is fitted on held-out claims (`held_out.py`).

Limitations: distractors are evidence of other claims. Gold answers have no surrounding sentences, because the pages of
train are not published.
"""
