"""Claims with passages as in a pipeline: decisive passages among others, with repetitions of the claim, or left out.

Verdict models are trained on claims of the training part. The stacker is fitted on held-out ones (`held_out.py`).

Limitations: distractors are evidence of other claims. Gold answers have no surrounding sentences, because the pages of
train are not published.
"""
