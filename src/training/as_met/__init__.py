"""Claims with passages as in a pipeline: decisive passages among others, with repetitions of the claim, or left out.

    averitec.py   claims of train: gold answers as passages, among gold answers of the most similar other claims; and
                  passages that a system retrieved for them
    pack.py       rows of public sets: their evidence among evidence of the most similar other claims
    contrast.py   rows of public sets with evidence changed in one place, alone and beside the unchanged evidence
    scenarios.py  written scenarios, whose pages decide the label
    contraries.py written pairs of contrary claims, with a page that decides between them
    checked.py    held-out scenarios, with passages retrieved and chosen as in a check

Verdict models are trained on claims of the training part. The stacker is fitted on held-out ones (`held_out.py`).

Limitations: distractors are evidence of other claims. Gold answers have no surrounding sentences, because the pages of
train are not published.
"""
