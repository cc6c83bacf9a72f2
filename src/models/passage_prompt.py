"""The prompts that show a claim with passages to a language model, and the words that it answers with.

A prompt is one turn in the model's chat template. Training and use have the same prompt, but training also cuts the end
of the passages if a row has more than `--max_length` tokens. There are two layouts. One asks if the claim follows from
the passages, the other asks for the verdict on it.

Limitations: only the first `MAX_PAIRS` passages count. Passages are cut at words, each to a fair share.
"""

from typing import NamedTuple

from src.models.evidence_rows import MAX_PAIRS, Input, fair_shares
from src.prompts import load

SYSTEM = "You check claims."
CLAIM = "\nClaim: "  # begins the part of the prompt behind the passages
CLAIM_WORDS = 80


class PromptLayout(NamedTuple):
    """A layout of prompts.

    `name` is recorded in `training.json`, `template` is a prompt of `src/prompts`, `words` is the room for all passages
    together. `answers` are in the order of the classes.
    """

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
    """Return a question and its answer, or the title of a page and its text, as one text."""
    if not title:
        return text
    return f"{title} {text}" if title.rstrip().endswith("?") else f"{title}: {text}"
