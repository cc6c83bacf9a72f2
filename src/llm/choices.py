"""Scores a closed set with an engine that only tells the likeliest next tokens: the method of option letters.

The choices are listed as A, B, C … and the next token's probabilities of these letters are read. Models favour some
letters and places, so the set is asked twice, the second time in reverse order, and a choice's score is the mean of its
two log-probabilities: every choice then stands, on average, in the same place.

But: two calls instead of one, and the scores say which letter the model would write, not how likely the choice's own
words are. At most 26 choices.
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template, ascii_uppercase

import msgspec

from src.errors import ModelError
from src.llm.protocol import Request

LAYOUT = Path(__file__).with_name("option_letters.md")


def letter_requests(request: Request) -> tuple[Request, Request]:
    """The two requests, each for one token: the choices in the order given, and in reverse."""
    if len(request.choices) > len(ascii_uppercase):
        raise ModelError(f"{len(request.choices)} choices, but only {len(ascii_uppercase)} option letters")
    layout = Template(LAYOUT.read_text(encoding="utf-8").removesuffix("\n"))
    both = [_listed(request.choices), _listed(request.choices[::-1])]
    first, second = (layout.substitute(prompt=request.prompt, options=options) for options in both)
    if not request.chat:
        first, second = f"{first}\nAnswer:", f"{second}\nAnswer:"
    plain = msgspec.structs.replace(request, choices=(), stop=(), temperature=0.0, max_new_tokens=1, max_length=None)
    return msgspec.structs.replace(plain, prompt=first), msgspec.structs.replace(plain, prompt=second)


def choice_scores(count: int, forward: Mapping[str, float], reverse: Mapping[str, float]) -> list[float]:
    """Mean log-probability of each choice. `forward` and `reverse` map next tokens to natural-log probabilities.

    Raises ModelError when one of the calls gave no letter at all.
    """
    there = letter_scores(count, forward)
    back = letter_scores(count, reverse)[::-1]
    return [(one + other) / 2 for one, other in zip(there, back, strict=True)]


def letter_scores(count: int, tokens: Mapping[str, float]) -> list[float]:
    """log P of the first `count` letters; "A" and " A" add up. A letter that is not there gets the least score."""
    letters = ascii_uppercase[:count]
    found: dict[str, list[float]] = {letter: [] for letter in letters}
    for token, score in tokens.items():
        if token.strip() in found:
            found[token.strip()].append(score)
    if not any(found.values()):
        raise ModelError(f"the model would write none of the option letters {', '.join(letters)}")
    least = min(tokens.values())
    return [_log_sum(found[letter]) if found[letter] else least for letter in letters]


def _listed(choices: Sequence[str]) -> str:
    return "\n".join(f"{letter}. {choice.strip()}" for letter, choice in zip(ascii_uppercase, choices, strict=False))


def _log_sum(scores: Sequence[float]) -> float:
    peak = max(scores)
    return peak + math.log(sum(math.exp(score - peak) for score in scores))
