"""What hybrid retrieval weighs and limits, in one record.

The defaults were chosen on retrieved sentences of the first 1,000 train claims (`python -m bench.retrieval.tune`); the
shares of pages and sites, of which train's sentences tell nothing, by judgement.
"""

import msgspec


class Settings(msgspec.Struct, frozen=True):
    """A weight of 0 switches its part off, a share or likeness of 1 its limit."""

    candidates: int = 1_000  # sentences that BM25 hands on to the encoder
    lexical: float = 0.4  # share of BM25 in the likeness to the claim; the rest is the cosine's
    speaker: float = 0.25  # weight of the speaker's words as a query, the claim's being 1
    date: float = 0.25  # the same for the claim's month and year
    hypothetical: float = 0.5  # the same for the hypothetical fact-check, where there is one
    substance_words: int = 20  # so many words beyond the claim's are as good as more; 0 does not ask for any
    feedback: float = 1.0  # weight of the likeness to what was found first
    feedback_sentences: int = 3  # how many were found first
    diversity: float = 0.2  # weight of the likeness to what was chosen already (MMR)
    same: float = 0.9  # cosine from which two sentences say the same, and the later one is left out
    page_share: float = 0.3  # of the chosen, from one page
    site_share: float = 0.5  # of the chosen, from one site
