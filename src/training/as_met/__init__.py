"""Claims as a pipeline meets them: the passages that decide among others, with repetitions of the claim, or left out.

    averitec.py  claims of train: gold answers as passages, among gold answers of the most similar other claims; and
                 what a system retrieved for them
    pack.py      rows of public sets: their evidence among evidence of the most similar other claims
    contrast.py  rows of public sets with evidence that was changed in one place, alone and beside the unchanged one
    scenarios.py written scenarios, whose pages decide the label
    contraries.py written pairs of contrary claims, with a page that decides between them
    checked.py   held-out scenarios, their pages searched and the passages chosen as in a check

A verdict model is trained on claims of the training part, the stacker fitted on held-out ones (`held_out.py`).

Limitations: distractors are evidence of other claims; a gold answer has no sentences around it, because the pages of
train are not published.
"""
