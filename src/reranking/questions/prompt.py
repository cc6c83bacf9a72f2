"""The published prompt that asks for the question which a sentence answers, and the reading of the reply.

The layout is an interface: examples first, most similar first, then the sentence; the claim is not in it.

But: a prompt that is too long for the model loses its least similar examples, then the end of the sentence; both are
counted, since the published code failed there.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

LONGEST_REPLY = 250  # characters of the reply that are read

CountTokens = Callable[[Sequence[str]], list[int]]


@dataclass(frozen=True)
class FittedPrompt:
    """A prompt that fits. `dropped` counts the examples left out; `cut` says that the sentence was shortened too."""

    text: str
    tokens: int
    dropped: int
    cut: bool


def write_prompt(examples: Sequence[str], sentence: str) -> str:
    """Examples (already in their layout) and the sentence; ends in `Question answered: ` with its space."""
    target = "Evidence: " + sentence.replace("\n", " ") + "\nQuestion answered: "
    return "\n\n".join([*examples, target])


def fit_prompt(examples: Sequence[str], sentence: str, count_tokens: CountTokens, room: int | None) -> FittedPrompt:
    """The prompt within `room` tokens (None: no limit)."""
    kept, text = list(examples), sentence
    while True:
        prompt = write_prompt(kept, text)
        tokens = count_tokens([prompt])[0]
        if room is None or tokens <= room:
            return FittedPrompt(prompt, tokens, len(examples) - len(kept), text is not sentence)
        if kept:
            kept.pop()
        elif text:
            text = text[: min(len(text) - 1, int(len(text) * room / tokens))]
        else:
            return FittedPrompt(prompt, tokens, len(examples), True)


def read_question(reply: str) -> str:
    """The question in a reply: its first 250 characters up to the first `?`; an empty reply gives `?` alone."""
    return reply[:LONGEST_REPLY].strip().split("?")[0].replace("\n", " ") + "?"


def is_question(text: str) -> bool:
    """Whether anything was asked: some letter or digit stands in it."""
    return any(character.isalnum() for character in text)
