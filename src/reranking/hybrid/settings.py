"""Weights and limits of hybrid retrieval.

The defaults were chosen on retrieved sentences of the first 1,000 train claims (`python -m bench.retrieval.tune`). The
shares of pages and sites were chosen by judgment, since train's sentences give no information on them.
"""

import msgspec


class Settings(msgspec.Struct, frozen=True):
    """Weights and limits. A weight of 0 turns its part off; a share or likeness of 1 turns its limit off."""

    candidates: int = 1_000  # sentences that BM25 passes on to the encoder
    lexical: float = 0.4  # share of BM25 in the likeness to the claim; the rest is the cosine's
    speaker: float = 0.25  # weight of the speaker's words as a query; the claim's is 1
    date: float = 0.25  # the same for the claim's month and year
    hypothetical: float = 0.5  # the same for the hypothetical fact-check, if there is one
    substance_words: int = 20  # new words beyond the claim's that give full substance; 0 turns it off
    feedback: float = 1.0  # weight of the likeness to the first sentences found
    feedback_sentences: int = 3  # number of these first sentences
    diversity: float = 0.2  # weight of the likeness to the chosen ones (MMR)
    same: float = 0.9  # cosine from which two sentences say the same, and the later one is dropped
    page_share: float = 0.3  # of the chosen, from one page
    site_share: float = 0.5  # of the chosen, from one site
