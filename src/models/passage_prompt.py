"""How a language model reads a claim with passages, and the words it answers with.

One turn in the model's own chat template. The same text is learned from and asked for, but that training cuts the
passages' end where a row has more than `--max_length` tokens. There are two layouts: one asks whether the claim follows
from the passages, the other for the verdict on it.

Limitations: of more than `MAX_PAIRS` passages the first ones count; they are cut at words, each to a fair share.
"""

from typing import NamedTuple

from src.models.evidence_rows import MAX_PAIRS, Input, fair_shares
from src.prompts import load

SYSTEM = "You check claims."
CLAIM = "\nClaim: "  # begins what follows the passages
CLAIM_WORDS = 80


class PromptLayout(NamedTuple):
    """`name` is kept with what was trained, `template` is a prompt of `src/prompts`, `words` is the room for the
    passages. The answers are in the order of the classes."""

    name: str
    template: str
    answers: tuple[str, ...]
    words: int


ENTAILMENT_PROMPT = PromptLayout("passage_prompt", "passage_check", ("True", "False", "Unknown"), 260)
VERDICT_PROMPT = PromptLayout("verdict_prompt", "passages_verdict", ("True", "False", "Unknown", "Mixed"), 400)
PROMPT_LAYOUTS = {layout.name: layout for layout in (ENTAILMENT_PROMPT, VERDICT_PROMPT)}


def prompt(asked: Input, layout: PromptLayout = ENTAILMENT_PROMPT) -> str:
    """Return the text of the turn."""
    claim, pairs = (asked, ()) if isinstance(asked, str) else (asked[0], asked[1][:MAX_PAIRS])
    texts = [_joined(*pair).split() for pair in pairs]
    shares = fair_shares([len(text) for text in texts], layout.words)
    passages = [f"Passage: {' '.join(text[:share])}" for text, share in zip(texts, shares, strict=True)]
    short = " ".join(claim.split()[:CLAIM_WORDS])
    return load(layout.template).substitute(claim=short, passages="\n".join(passages) or "Passage: none")


def _joined(title: str, text: str) -> str:
    """A question and its answer, or the title of a page and its text."""
    if not title:
        return text
    return f"{title} {text}" if title.rstrip().endswith("?") else f"{title}: {text}"
