"""The texts that the tagger compares a sentence with: the claim, the verdict and the nearest pieces of evidence."""

from src.explanation.checks.grounds import Grounds
from src.explanation.labels import conclusion
from src.explanation.pieces import nearest

WORDS = 130  # of the evidence; this leaves room for the sentence and the claim
MOST = 8  # pieces; with claim and verdict, as many passages as the model reads


def premise(sentence: str, grounds: Grounds) -> list[tuple[str, str]]:
    """Return (title, text) pairs, as the models of `src/models/evidence_rows.py` read them."""
    read = nearest(grounds.pieces, sentence, WORDS)
    chosen = [(piece.question, piece.text) for piece in read]
    if len(chosen) > MOST:
        chosen = [*chosen[: MOST - 1], ("", " ".join(f"{asked} {text}".strip() for asked, text in chosen[MOST - 1 :]))]
    by_whom = " ".join(filter(None, ("claim", grounds.claim.speaker, grounds.claim.claim_date)))
    return [(by_whom, grounds.claim.claim), ("verdict", conclusion(grounds.claim.label)), *chosen]
