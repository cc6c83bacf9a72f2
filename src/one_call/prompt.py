"""The prompt of a call: instructions, examples, then the claim with its sources.

The instructions come first, since all prompts share them: some engines read a common beginning once. If a prompt is too
long for the model, its last examples are left out first, then sources are cut to fewer words.
"""

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import NamedTuple

from src.errors import ModelError, one_line
from src.one_call.sources import ClaimSources
from src.prompts import load

WORD_LIMITS = (None, 300, 200, 150, 100, 60, 30)  # of each source, tried in turn
CountTokens = Callable[[Sequence[str]], list[int]]


class EvidenceForm(StrEnum):
    """Form of the answers.

    `PAIRS`: answers to their questions, as AVeriTeC's gold answers.
    `STATEMENTS`: declarative sentences that are clear without their question, as in FEVER-9.
    """

    PAIRS = "pairs"
    STATEMENTS = "statements"


_ANSWER = {
    EvidenceForm.PAIRS: "the answer that the quote gives, in one or two sentences",
    EvidenceForm.STATEMENTS: "what the quote says, as one statement that can be understood without the question",
}


class Prompt(NamedTuple):
    """A prompt that fits into the model's context.

    `instructions`: number of characters of the instructions.
    `examples_dropped`: number of examples that were left out.
    `is_cut`: True if sources were shortened.
    """

    text: str
    instructions: int
    examples_dropped: int
    is_cut: bool


def instructions(pairs: int, form: EvidenceForm) -> str:
    """Return the instructions; `pairs` is the most question-answer pairs to ask for."""
    return load("one_call").substitute(pairs=pairs, answer=_ANSWER[form])


def fitted(claim: ClaimSources, head: str, examples: Sequence[str], count: CountTokens, room: int | None) -> Prompt:
    """Return the prompt of a claim, of at most `room` tokens (None: no limit).

    `head` is the text of the instructions. Raises ModelError if even the shortest prompt is longer.
    """
    for words in WORD_LIMITS:
        kept = list(examples) if words is WORD_LIMITS[0] else []
        while True:
            prompt = _prompt(claim, head, kept, words, len(examples) - len(kept))
            if room is None or count([prompt.text])[0] <= room:
                return prompt
            if not kept:
                break
            kept.pop()
    raise ModelError(f"the claim with its sources is longer than the {room} tokens that the model has room for")


def _prompt(claim: ClaimSources, head: str, examples: Sequence[str], words: int | None, dropped: int) -> Prompt:
    heading = ["How people asked and answered about other claims:"] if examples else []
    said = [f"Claim: {one_line(claim.claim)}"]
    said += [f"Speaker: {one_line(claim.speaker)}"] if claim.speaker else []
    said += [f"Date: {one_line(claim.date)}"] if claim.date else []
    sources = [source.line(number, words) for number, source in enumerate(claim.sources, start=1)]
    text = "\n".join([*said, "Sources:", *sources, "", "Reply with the JSON object alone."])
    return Prompt("\n\n".join([head, *heading, *examples, text]), len(head), dropped, words is not None)
