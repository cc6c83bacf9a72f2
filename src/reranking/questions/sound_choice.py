"""Choice of a passage's first sound question, in order of preference."""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from src.records import Sentence
from src.reranking.questions.soundness import fault, repaired
from src.reranking.questions.template import template_question


class Origin(StrEnum):
    """Origin of a question."""

    CHOSEN = "chosen"  # the model's preferred question
    REPLACEMENT = "replacement"  # another one that the model wrote
    TEMPLATE = "template"


class SoundQuestion(NamedTuple):
    """A question and its origin. `is_repaired`: trivial faults of the model's question were repaired."""

    text: str
    origin: Origin
    is_repaired: bool


def sound_question(claim: str, sentence: Sentence, preferred: Sequence[str]) -> SoundQuestion:
    """Return the first question that is sound after repair, or the template. Raises MissingExtra as `fault` does.

    `preferred` contains the model's questions for the sentence, the preferred one first.
    """
    for place, written in enumerate(preferred):
        text = repaired(written)
        if fault(text, claim, sentence.sentence, sentence.url) is None:
            return SoundQuestion(text, Origin.REPLACEMENT if place else Origin.CHOSEN, text != written)
    return SoundQuestion(template_question(claim, sentence.sentence, sentence.url), Origin.TEMPLATE, False)
