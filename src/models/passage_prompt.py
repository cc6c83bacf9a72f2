"""How a language model reads a claim with passages, and the words it answers with.

One turn in the model's own chat template. The same text is learned from and asked for.

Limitations: of more than `MAX_PAIRS` passages the first ones count; they are cut at words, each to a fair share.
"""

from src.models.evidence_rows import MAX_PAIRS, Input, fair_shares
from src.prompts import load

LAYOUT = "passage_prompt"
SYSTEM = "You check claims."
ANSWERS = ("True", "False", "Unknown")  # entailment, contradiction, neutral
CLAIM = "\nClaim: "  # begins what follows the passages
CLAIM_WORDS, PASSAGE_WORDS = 80, 260


def prompt(asked: Input) -> str:
    """Return the text of the turn."""
    claim, pairs = (asked, ()) if isinstance(asked, str) else (asked[0], asked[1][:MAX_PAIRS])
    texts = [_joined(*pair).split() for pair in pairs]
    shares = fair_shares([len(text) for text in texts], PASSAGE_WORDS)
    passages = [f"Passage: {' '.join(text[:share])}" for text, share in zip(texts, shares, strict=True)]
    short = " ".join(claim.split()[:CLAIM_WORDS])
    return load("passage_check").substitute(claim=short, passages="\n".join(passages) or "Passage: none")


def _joined(title: str, text: str) -> str:
    """A question and its answer, or the title of a page and its text."""
    if not title:
        return text
    return f"{title} {text}" if title.rstrip().endswith("?") else f"{title}: {text}"
