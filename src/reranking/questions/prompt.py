"""Prompts that ask for the question which a sentence answers, and the parser of the reply.

The published layout is an interface: examples first, most similar first, then the sentence; it does not contain the
claim. The layout "claim_evidence" is the one that adapters are trained on, with the claim and without examples.

Limitations: if a prompt is too long for the model, its least similar examples are dropped, then the end of the
sentence. Both are counted, since the published code failed there.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

LONGEST_REPLY = 250  # characters of the reply that are read

GAP = "\n\n"  # between examples
CLAIM_EVIDENCE = "claim_evidence"  # the name of the trained layout in an adapter's training.json

_LINE_END = re.compile(r"[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]")  # all line ends of `str.splitlines`

CountTokens = Callable[[Sequence[str]], list[int]]


@dataclass(frozen=True)
class FittedPrompt:
    """A prompt that fits into the model's context.

    `tokens`: its number of tokens.
    `dropped`: number of examples that were left out.
    `cut`: True if the sentence was shortened too.
    `before`: number of characters before the sentence's part: the examples.
    """

    text: str
    tokens: int
    dropped: int
    cut: bool
    before: int = 0


def write_prompt(examples: Sequence[str], sentence: str) -> str:
    """Return the published prompt: the examples, already in their layout, then the sentence.

    It ends in `Question answered: `.
    """
    target = "Evidence: " + _LINE_END.sub(" ", sentence) + "\nQuestion answered: "
    return GAP.join([*examples, target])


def claim_evidence_prompt(claim: str, sentence: str) -> str:
    """Return the prompt in the layout "claim_evidence", with white space collapsed.

    The model's reply begins with a space.
    """
    return f"Claim: {_one_spaced(claim)}\nEvidence: {_one_spaced(sentence)}\nQuestion:"


def claim_evidence_target(question: str) -> str:
    """Return the reply that adapters are trained to write after a "claim_evidence" prompt.

    It is a space and the question, up to and including the first `?`.
    """
    return f" {_one_spaced(_one_spaced(question).partition('?')[0])}?"


def fit_prompt(
    examples: Sequence[str], sentence: str, count_tokens: CountTokens, room: int | None, claim: str | None = None
) -> FittedPrompt:
    """Return the prompt within `room` tokens (None: no limit).

    If it is too long, examples are left out, the last first; then the end of the sentence is cut off. With a `claim`,
    the prompt has the layout "claim_evidence", else the published one.
    """
    shown, text = list(examples), sentence
    while True:
        prompt = write_prompt(shown, text) if claim is None else claim_evidence_prompt(claim, text)
        tokens = count_tokens([prompt])[0]
        if room is None or tokens <= room:
            before = 0 if claim is not None else sum(len(example) + len(GAP) for example in shown)
            return FittedPrompt(prompt, tokens, len(examples) - len(shown), text is not sentence, before)
        if shown:
            shown.pop()
        elif text:
            text = text[: min(len(text) - 1, int(len(text) * room / tokens))]
        else:
            return FittedPrompt(prompt, tokens, len(examples), True)


def read_question(reply: str) -> str:
    """Return the question in a reply: its first 250 characters up to the first `?`; an empty reply gives `?`."""
    return reply[:LONGEST_REPLY].strip().split("?")[0].replace("\n", " ") + "?"


def _one_spaced(text: str) -> str:
    return " ".join(text.split())


def is_question(text: str) -> bool:
    """Return True if the text contains a letter or digit."""
    return any(character.isalnum() for character in text)
