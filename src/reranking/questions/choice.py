"""Choice of one question per sentence among those that a model wrote for it; a template if none is sound.

Minimum Bayes risk decoding (Kumar and Byrne 2004; Eikema and Aziz 2020), applied to a set of questions instead of one.
The model's samples represent what people may ask about the claim. Let u(a, b) be the likeness of question b to the
expected question a. The chosen questions q_i maximize, over the expected questions r,

    mean_r max_i u(r, q_i)  +  typical sum_i mean_r u(r, q_i)  +  named sum_i u(claim, q_i)

The first term makes the questions together cover much of what may be asked. The second avoids unusual samples; a sample
does not count for itself. The third makes each question name the subject of the claim. The optimum is sought by
coordinate ascent from the best single questions. The weights were chosen on held-out training claims
(`bench/questions/choice.py`).

Limitations: finds a local maximum. If there are many candidates, an even selection of `expected` represents them.
"""

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from src.canonical_url import site
from src.records import Sentence
from src.reranking.questions.prompt import is_question
from src.reranking.questions.soundness import fault, repaired

Scores = NDArray[np.float64]
Likeness = Callable[[Sequence[str], Sequence[str]], Scores]  # (expected, candidates) -> [candidates, expected]

PASSES = 4


class Weighing(NamedTuple):
    """Weights of the objective in this module's docstring.

    `typical`: weight of a chosen question's likeness to all sampled questions, which avoids unusual ones.
    `named`: weight of a chosen question's likeness to the claim.
    `expected`: maximum number of sampled questions that the chosen ones are compared with.
    """

    typical: float = 0.02
    named: float = 0.02
    expected: int = 128


USUAL = Weighing()


def choose_questions(
    claim: str, candidates: Sequence[Sequence[str]], likeness: Likeness, weighing: Weighing = USUAL
) -> list[str]:
    """Return the chosen question of each sentence, in the order of the sentences; of equal candidates the first.

    `candidates` are the questions written for each sentence, at least one. Candidates without a letter or digit are
    chosen only if there is no other.
    """
    return [own[0] for own in ordered_questions(claim, candidates, likeness, weighing)]


def ordered_questions(
    claim: str, candidates: Sequence[Sequence[str]], likeness: Likeness, weighing: Weighing = USUAL
) -> list[list[str]]:
    """Return each sentence's candidates: the chosen one, then the others, those first that would have been next.

    The others are sorted by the objective with each of them in the place of the chosen one, highest first. Candidates
    without a letter or digit are left out, unless a sentence has no other.
    """
    candidates = [[question for question in own if is_question(question)] or own[:1] for own in candidates]
    flat = [question for own in candidates for question in own]
    if not flat:
        return []
    places = np.linspace(0, len(flat) - 1, min(weighing.expected, len(flat))).round().astype(int)
    scores = likeness([*(flat[place] for place in places), claim], flat)
    scores[places, np.arange(len(places))] = 0.0  # a sample does not count for itself
    ends = np.cumsum([len(own) for own in candidates])[:-1]
    alike, named = np.split(scores[:, :-1], ends), np.split(scores[:, -1], ends)
    alone = [weighing.typical * own.mean(1) + weighing.named * single for own, single in zip(alike, named, strict=True)]
    chosen = _ascended(alike, alone)
    orders = _orders(alike, alone, chosen)
    return [[own[place] for place in order] for own, order in zip(candidates, orders, strict=True)]


def _ascended(alike: Sequence[Scores], alone: Sequence[Scores]) -> list[int]:
    """Return the index (from 0) of the chosen candidate of each sentence, by coordinate ascent.

    `alike`: likeness to the expected questions [candidates, expected], for each sentence.
    `alone`: the second and third term of each candidate [candidates], for each sentence.
    """
    chosen = [int(own.argmax()) for own in alone]
    for _ in range(PASSES):
        before = list(chosen)
        for number, single in enumerate(alone):
            chosen[number] = int((_covered(alike, chosen, number) + single).argmax())
        if chosen == before:
            break
    return chosen


def _covered(alike: Sequence[Scores], chosen: Sequence[int], number: int) -> Scores:
    """Return the first term of the objective for each candidate of the sentence at index `number`.

    For all other sentences, the chosen candidates are used.
    """
    others = [scores[place] for scores, place in zip(alike, chosen, strict=True)]
    others[number] = np.zeros_like(alike[number][0])
    covered: Scores = np.maximum(alike[number], np.max(others, axis=0)).mean(1)
    return covered


def _orders(alike: Sequence[Scores], alone: Sequence[Scores], chosen: Sequence[int]) -> list[list[int]]:
    """Return the indexes of each sentence's candidates: the chosen one, then the others, best first."""
    orders = []
    for number, (single, first) in enumerate(zip(alone, chosen, strict=True)):
        ranked = np.argsort(-(_covered(alike, chosen, number) + single), kind="stable").tolist()
        orders.append([first, *(place for place in ranked if place != first)])
    return orders


LONGEST_QUOTE = 250  # characters of a claim that is quoted; a longer one is not quoted


def template_question(claim: str, passage: str, url: str = "") -> str:
    """Return `What does SITE say about the claim "CLAIM"?`, or a shorter form if that question is not sound.

    The claim keeps its case and loses its final punctuation; double quotes in it become single ones. Raises
    MissingExtra when the parser is missing.
    """
    source = site(url) if url else "this source"
    forms = [f"What does {source} say about the claim?"]
    if quoted := _quotable(claim):
        forms.insert(0, f'What does {source} say about the claim "{quoted}"?')
    sound = (form for form in forms if fault(form, claim, passage, url) is None)
    return next(sound, "What does this source say about the claim?")


def _quotable(claim: str) -> str:
    """Return the claim as it is quoted in a template question, or "" if it is too long."""
    text = " ".join(claim.split()).rstrip(" .?!")
    for mark in '"“”„«»':
        text = text.replace(mark, "'")
    return text if len(text) <= LONGEST_QUOTE else ""


class Origin(StrEnum):
    """Origin of a question."""

    CHOSEN = "chosen"  # the model's preferred question
    REPLACEMENT = "replacement"  # another one that the model wrote
    TEMPLATE = "template"


class SoundQuestion(NamedTuple):
    """A question and its origin. `is_repaired` is True if trivial faults of the model's question were repaired."""

    text: str
    origin: Origin
    is_repaired: bool


def sound_question(claim: str, sentence: Sentence, preferred: Sequence[str]) -> SoundQuestion:
    """Return the first question that is sound after repair, or a template question if there is none.

    `preferred` contains the model's questions for the sentence, the preferred one first. Raises MissingExtra when the
    parser is missing.
    """
    for place, written in enumerate(preferred):
        text = repaired(written)
        if fault(text, claim, sentence.sentence, sentence.url) is None:
            return SoundQuestion(text, Origin.REPLACEMENT if place else Origin.CHOSEN, text != written)
    return SoundQuestion(template_question(claim, sentence.sentence, sentence.url), Origin.TEMPLATE, False)
