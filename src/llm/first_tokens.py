"""Which choice of a closed set a token begins: "True", " True" and "true" all begin "True".

But: nothing of a choice's further words is looked at.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

TELLING = 3  # letters; fewer begin too many words


def first_tokens(choices: Sequence[str], first: Callable[[str], str]) -> dict[str, int]:
    """The tokens that begin a choice, with its place; empty where two choices share one, or one has none.

    `first` gives the first token of a text; of white space alone it counts as none.
    """
    found: dict[str, int] = {}
    for place, choice in enumerate(choices):
        for token in map(first, _forms(choice.strip())):
            if token.strip() and found.setdefault(token, place) != place:
                return {}
    return found if len(set(found.values())) == len(choices) else {}


def beginnings(choices: Sequence[str], tokens: Iterable[str]) -> dict[str, int]:
    """Those of the tokens that begin a choice, with its place, for an engine whose tokenizer is not here.

    Whatever the case, a token begins a choice as its first word or as three letters or more of it, if no other choice.
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
