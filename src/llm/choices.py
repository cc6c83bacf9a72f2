"""Scoring of a closed set of choices with an engine that only returns the likeliest next tokens.

If the request allows it, choices are scored by their first tokens, in one call that generates one token. A choice's
score is the log-probability of the tokens that begin the choice: "True", " True" and "true" all begin "True".

Otherwise, choices are scored by option letters; also if two choices begin with the same token, or no likely token
begins a choice. The prompt lists the choices as A, B, C …, and the probability of each letter as the next token is
read. Models favor some letters and positions, so there are two calls, the second with the choices in reverse order. A
choice's score is the mean of its two log-probabilities. Every choice then has, on average, the same position.

Limitations: a first token does not depend on the words after it. Letters take two calls instead of one. The score of a
letter is not the probability of its choice's words. At most 26 choices can have letters.
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

LEAST_LETTERS = 3  # of a token that begins a choice; fewer begin too many words


def first_tokens(choices: Sequence[str], first: Callable[[str], str]) -> dict[str, int]:
    """Map the first token of each spelling of a choice to the choice's index (from 0).

    Returns {} if two choices share a first token, or a choice has none. `first` returns the first token of a text; a
    token of white space only does not count.
    """
    positions: dict[str, int] = {}
    for index, choice in enumerate(choices):
        for token in map(first, _forms(choice.strip())):
            if token.strip() and positions.setdefault(token, index) != index:
                return {}
    return positions if len(set(positions.values())) == len(choices) else {}


def beginnings(choices: Sequence[str], tokens: Iterable[str]) -> dict[str, int]:
    """Map each token that begins exactly one choice to the choice's index, for engines without a local tokenizer.

    A token begins a choice if it is the choice's first word, or at least three of its first letters. Case is ignored.
    """
    folded = [choice.strip().casefold() for choice in choices]
    positions = {}
    for token in tokens:
        begun = [index for index, choice in enumerate(folded) if _begins(token.strip().casefold(), choice)]
        if len(begun) == 1:
            positions[token] = begun[0]
    return positions


def _forms(choice: str) -> Iterator[str]:
    for form in dict.fromkeys((choice, choice.lower(), choice[:1].upper() + choice[1:])):
        yield from (form, f" {form}")


def _begins(token: str, choice: str) -> bool:
    return choice.split()[:1] == [token] or (len(token) >= LEAST_LETTERS and choice.startswith(token))


LAYOUT = Path(__file__).with_name("option_letters.md")


class Likeliest(NamedTuple):
    """Likeliest next tokens after a prompt.

    `tokens`: natural-log probability of each token.
    `prompt_tokens`: the prompt's length in tokens.
    `has_probabilities`: False if the engine returns no probabilities; `tokens` then contains the letter that it wrote.
    """

    tokens: Mapping[str, float]
    prompt_tokens: int
    has_probabilities: bool = True


def score_choices(
    request: Request, ask: Callable[[Request], Likeliest], begin: Mapping[str, int] | None = None
) -> Reply:
    """Score the choices of the request; `ask` is called with requests for one token. Raises the errors of `scoring`."""
    questions = scoring(request, begin)
    try:
        question = next(questions)
        while True:
            question = questions.send(ask(question))
    except StopIteration as end:
        reply: Reply = end.value
        return reply


def scoring(request: Request, begin: Mapping[str, int] | None = None) -> Generator[Request, Likeliest, Reply]:
    """Score the choices of the request as a generator: it yields requests for one token and receives their answers.

    `begin` maps tokens that begin a choice to the choice's index (from 0); if it is None, such tokens are recognized by
    their text. Raises ModelError when no option letter is among the likeliest tokens, or there are more choices than
    letters.
    """
    spent = 0
    if request.first_tokens and begin != {}:
        seen = yield _one_token(request)
        spent = seen.prompt_tokens
        positions = beginnings(request.choices, seen.tokens) if begin is None else begin
        scores = summed(len(request.choices), positions, seen.tokens)
        if seen.has_probabilities and scores:
            return choice_reply(request, scores, "first_tokens", spent, new_tokens=1)
    first, second = letter_requests(request)
    forward = yield first
    reverse = yield second
    scores = choice_scores(len(request.choices), forward.tokens, reverse.tokens)
    return choice_reply(
        request,
        scores,
        "option_letters" if forward.has_probabilities or reverse.has_probabilities else "letters_read",
        spent + forward.prompt_tokens + reverse.prompt_tokens,
        new_tokens=3 if spent else 2,
    )


def letter_requests(request: Request) -> tuple[Request, Request]:
    """Return two requests for one option letter each: with the choices in the order given, and in reverse order.

    Raises ModelError when there are more choices than letters.
    """
    if len(request.choices) > len(ascii_uppercase):
        raise ModelError(f"{len(request.choices)} choices, but only {len(ascii_uppercase)} option letters")
    layout = Template(LAYOUT.read_text(encoding="utf-8").removesuffix("\n"))
    listings = [_listed(request.choices), _listed(request.choices[::-1])]
    first, second = (layout.substitute(prompt=request.prompt, options=options) for options in listings)
    if not request.chat:
        first, second = f"{first}\nAnswer:", f"{second}\nAnswer:"
    plain = _one_token(request)
    return msgspec.structs.replace(plain, prompt=first), msgspec.structs.replace(plain, prompt=second)


def choice_scores(count: int, forward: Mapping[str, float], reverse: Mapping[str, float]) -> list[float]:
    """Return each choice's log-probability, averaged over the calls with the choices in order and in reverse order.

    `forward` and `reverse` map the next tokens of a call to natural-log probabilities. Raises ModelError when a call
    returned no option letter.
    """
    there = letter_scores(count, forward)
    back = letter_scores(count, reverse)[::-1]
    return [(first + second) / 2 for first, second in zip(there, back, strict=True)]


def letter_scores(count: int, tokens: Mapping[str, float]) -> list[float]:
    """Return the log-probabilities of the first `count` option letters, from those of the next tokens.

    The probabilities of "A" and " A" are added. A missing letter gets the lowest score of all tokens. Raises ModelError
    when no letter is among the tokens.
    """
    letters = list(ascii_uppercase[:count])
    scores = summed(
        count, {token: letters.index(token.strip()) for token in tokens if token.strip() in letters}, tokens
    )
    if not scores:
        raise ModelError(f"the model would write none of the option letters {', '.join(letters)}")
    return scores


def summed(count: int, positions: Mapping[str, int], tokens: Mapping[str, float]) -> list[float]:
    """Return the log-probabilities of `count` choices: the probabilities of a choice's tokens are added.

    `positions` maps each token that begins a choice to the choice's index in the request. `tokens` has natural-log
    probabilities. A choice without a token gets the lowest score of all tokens. The list is empty if no choice has a
    token.
    """
    by_choice: list[list[float]] = [[] for _ in range(count)]
    for token, score in tokens.items():
        if token in positions:
            by_choice[positions[token]].append(score)
    if not any(by_choice):
        return []
    least = min(tokens.values())
    return [_log_sum(scores) if scores else least for scores in by_choice]


def _one_token(request: Request) -> Request:
    return msgspec.structs.replace(
        request, choices=(), stop=(), temperature=0.0, max_new_tokens=1, max_length=None, first_tokens=False, grammar=""
    )


def _listed(choices: Sequence[str]) -> str:
    return "\n".join(f"{letter}. {choice.strip()}" for letter, choice in zip(ascii_uppercase, choices, strict=False))


def _log_sum(scores: Sequence[float]) -> float:
    peak = max(scores)
    return peak + math.log(sum(math.exp(score - peak) for score in scores))
