"""Scores a closed set with an engine that only tells the likeliest next tokens.

By first tokens, where the request allows it: one call of one token, and a choice's score is the log-probability of the
tokens that begin it (`first_tokens.py`).

By option letters otherwise, and where two choices begin alike or the model would begin none: the choices are listed as
A, B, C … and the next token's probabilities of these letters are read. Models favour some letters and places, so the
set is asked twice, the second time in reverse order, and a choice's score is the mean of its two log-probabilities:
every choice then stands, on average, in the same place.

But: first tokens say nothing of the words behind them. Letters take two calls instead of one, and the scores say which
letter the model would write, not how likely the choice's own words are. At most 26 choices by letters.
"""

import math
from collections.abc import Callable, Generator, Mapping, Sequence
from pathlib import Path
from string import Template, ascii_uppercase
from typing import NamedTuple

import msgspec

from src.errors import ModelError
from src.llm.first_tokens import beginnings
from src.llm.protocol import Reply, Request
from src.llm.replies import choice_reply

LAYOUT = Path(__file__).with_name("option_letters.md")


class Likeliest(NamedTuple):
    """Next tokens with their natural-log probabilities, and the prompt's length in tokens.

    `told` is false where the engine says no probabilities, and these stand for what it wrote.
    """

    tokens: Mapping[str, float]
    prompt_tokens: int
    told: bool = True


def score_choices(
    request: Request, ask: Callable[[Request], Likeliest], begin: Mapping[str, int] | None = None
) -> Reply:
    """The reply to a closed set; `ask` answers a request for one token. As `scoring`."""
    questions = scoring(request, begin)
    try:
        question = next(questions)
        while True:
            question = questions.send(ask(question))
    except StopIteration as end:
        reply: Reply = end.value
        return reply


def scoring(request: Request, begin: Mapping[str, int] | None = None) -> Generator[Request, Likeliest, Reply]:
    """Yield requests for one token, be sent the answer to each, and return the reply to a closed set.

    `begin` names the tokens that begin a choice and its place; without it they are known by their letters. Raises
    ModelError when the model would write no letter, or there are more choices than letters.
    """
    spent = 0
    if request.first_tokens and begin != {}:
        seen = yield _one_token(request)
        spent = seen.prompt_tokens
        places = beginnings(request.choices, seen.tokens) if begin is None else begin
        scores = summed(len(request.choices), places, seen.tokens)
        if seen.told and scores:
            return choice_reply(request, scores, "first_tokens", spent, new_tokens=1)
    first, second = letter_requests(request)
    there = yield first
    back = yield second
    scores = choice_scores(len(request.choices), there.tokens, back.tokens)
    return choice_reply(
        request,
        scores,
        "option_letters" if there.told or back.told else "letters_read",
        spent + there.prompt_tokens + back.prompt_tokens,
        new_tokens=3 if spent else 2,
    )


def letter_requests(request: Request) -> tuple[Request, Request]:
    """The two requests, each for one token: the choices in the order given, and in reverse."""
    if len(request.choices) > len(ascii_uppercase):
        raise ModelError(f"{len(request.choices)} choices, but only {len(ascii_uppercase)} option letters")
    layout = Template(LAYOUT.read_text(encoding="utf-8").removesuffix("\n"))
    both = [_listed(request.choices), _listed(request.choices[::-1])]
    first, second = (layout.substitute(prompt=request.prompt, options=options) for options in both)
    if not request.chat:
        first, second = f"{first}\nAnswer:", f"{second}\nAnswer:"
    plain = _one_token(request)
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
    letters = list(ascii_uppercase[:count])
    scores = summed(
        count, {token: letters.index(token.strip()) for token in tokens if token.strip() in letters}, tokens
    )
    if not scores:
        raise ModelError(f"the model would write none of the option letters {', '.join(letters)}")
    return scores


def summed(count: int, places: Mapping[str, int], tokens: Mapping[str, float]) -> list[float]:
    """log P of `count` choices: the tokens of one, by `places`, add up. Empty where no choice has any of them.

    A choice without one of these tokens gets the least score of all tokens.
    """
    found: list[list[float]] = [[] for _ in range(count)]
    for token, score in tokens.items():
        if token in places:
            found[places[token]].append(score)
    if not any(found):
        return []
    least = min(tokens.values())
    return [_log_sum(scores) if scores else least for scores in found]


def _one_token(request: Request) -> Request:
    return msgspec.structs.replace(
        request, choices=(), stop=(), temperature=0.0, max_new_tokens=1, max_length=None, first_tokens=False, grammar=""
    )


def _listed(choices: Sequence[str]) -> str:
    return "\n".join(f"{letter}. {choice.strip()}" for letter, choice in zip(ascii_uppercase, choices, strict=False))


def _log_sum(scores: Sequence[float]) -> float:
    peak = max(scores)
    return peak + math.log(sum(math.exp(score - peak) for score in scores))
