"""First tokens of the choices in a closed set: "True", " True" and "true" all begin "True".

Limitations: further words of a choice are ignored.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

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
