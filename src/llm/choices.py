"""Scores of a closed set from an engine that only gives the likeliest next tokens.

By first tokens, if the request allows it: one call of one token. A choice's score is the log-probability of the tokens
that begin it: "True", " True" and "true" all begin "True".

By option letters otherwise, and if two choices begin alike or the model would begin none: the choices are listed as A,
B, C … and the next token's probabilities of these letters are read. Models favor some letters and positions, so the set
is asked twice, the second time in reverse order. A choice's score is the mean of its two log-probabilities. Every
choice then has, on average, the same position.

Limitations: first tokens say nothing about the words after them. Letters take two calls instead of one. Their scores
say which letter the model would write, not how likely the choice's own words are. At most 26 choices by letters.
"""

import math
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from string import Template, ascii_uppercase
from typing import NamedTuple

import msgspec

from src.errors import ModelError
from src.llm.protocol import Reply, Request
from src.llm.replies import choice_reply

TELLING = 3  # letters; fewer begin too many words


def first_tokens(choices: Sequence[str], first: Callable[[str], str]) -> dict[str, int]:
    """Return the tokens that begin a choice, with its position; {} if two choices share one, or one has none.

    `first` returns the first token of a text; a token of white space only does not count.
    """
    found: dict[str, int] = {}
    for place, choice in enumerate(choices):
        for token in map(first, _forms(choice.strip())):
            if token.strip() and found.setdefault(token, place) != place:
                return {}
    return found if len(set(found.values())) == len(choices) else {}


def beginnings(choices: Sequence[str], tokens: Iterable[str]) -> dict[str, int]:
    """Return those of the tokens that begin a choice, with its position, for an engine without a local tokenizer.

    In any case, a token begins a choice if it is its first word or at least three of its first letters. It must begin
    one choice only.
    """
    folded = [choice.strip().casefold() for choice in choices]
    found = {}
    for token in tokens:
        begun = [place for place, choice in enumerate(folded) if _begins(token.strip().casefold(), choice)]
        if len(begun) == 1:
            found[token] = begun[0]
    return found


def _forms(choice: str) -> Iterator[str]:
    for form in dict.fromkeys((choice, choice.lower(), choice[:1].upper() + choice[1:])):
        yield from (form, f" {form}")


def _begins(token: str, choice: str) -> bool:
    return choice.split()[:1] == [token] or (len(token) >= TELLING and choice.startswith(token))


LAYOUT = Path(__file__).with_name("option_letters.md")


class Likeliest(NamedTuple):
    """Next tokens with their natural-log probabilities, and the prompt's length in tokens.

    `has_probabilities` is False if the engine gives no probabilities; `tokens` then represent what it wrote.
    """

    tokens: Mapping[str, float]
    prompt_tokens: int
    has_probabilities: bool = True


def score_choices(
    request: Request, ask: Callable[[Request], Likeliest], begin: Mapping[str, int] | None = None
) -> Reply:
    """Return the reply to a closed set; `ask` answers a request for one token. Raises as `scoring` does."""
    questions = scoring(request, begin)
    try:
        question = next(questions)
        while True:
            question = questions.send(ask(question))
    except StopIteration as end:
        reply: Reply = end.value
        return reply


def scoring(request: Request, begin: Mapping[str, int] | None = None) -> Generator[Request, Likeliest, Reply]:
    """Yield requests for one token, receive the answer to each, and return the reply to a closed set.

    `begin` maps the tokens that begin a choice to its position; without it they are recognized by their text. Raises
    ModelError when the model would write no letter, or there are more choices than letters.
    """
    spent = 0
    if request.first_tokens and begin != {}:
        seen = yield _one_token(request)
        spent = seen.prompt_tokens
        places = beginnings(request.choices, seen.tokens) if begin is None else begin
        scores = summed(len(request.choices), places, seen.tokens)
        if seen.has_probabilities and scores:
            return choice_reply(request, scores, "first_tokens", spent, new_tokens=1)
    first, second = letter_requests(request)
    there = yield first
    back = yield second
    scores = choice_scores(len(request.choices), there.tokens, back.tokens)
    return choice_reply(
        request,
        scores,
        "option_letters" if there.has_probabilities or back.has_probabilities else "letters_read",
        spent + there.prompt_tokens + back.prompt_tokens,
        new_tokens=3 if spent else 2,
    )


def letter_requests(request: Request) -> tuple[Request, Request]:
    """Return the two requests, each for one token: the choices in the order given, and in reverse."""
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
    """Return the mean log-probability of each choice.

    `forward` and `reverse` map next tokens to natural-log probabilities. Raises ModelError when one of the calls gave
    no letter at all.
    """
    there = letter_scores(count, forward)
    back = letter_scores(count, reverse)[::-1]
    return [(one + other) / 2 for one, other in zip(there, back, strict=True)]


def letter_scores(count: int, tokens: Mapping[str, float]) -> list[float]:
    """Return log P of the first `count` letters; "A" and " A" add up. A missing letter gets the lowest score.

    Raises ModelError when no letter is among the tokens.
    """
    letters = list(ascii_uppercase[:count])
    scores = summed(
        count, {token: letters.index(token.strip()) for token in tokens if token.strip() in letters}, tokens
    )
    if not scores:
        raise ModelError(f"the model would write none of the option letters {', '.join(letters)}")
    return scores


def summed(count: int, places: Mapping[str, int], tokens: Mapping[str, float]) -> list[float]:
    """Return log P of `count` choices; `places` maps tokens to choices, and a choice's tokens add up.

    A choice without any of these tokens gets the lowest score of all tokens. The list is empty if no choice has one.
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
