"""Makes a false sentence of a true one: a number or a name in it becomes another, taken from other text.

Such a sentence reads as before and differs in what the evidence decides.

But: capital letters and digits tell names and numbers; now and then the sentence stays true in other words.
"""

import re
from collections.abc import Sequence
from random import Random

_NUMBER = re.compile(r"(?<![\w.,])\d[\d,]*(?:\.\d+)?(?![\w])")
_NAME = re.compile(r"(?<!^)(?<![.!?] )\b[A-Z][\w'.-]*(?: (?:of |the |de |von )?[A-Z][\w'.-]*)*")
_YEAR = re.compile(r"1[5-9]\d\d|20\d\d")


def swapped(sentence: str, evidence: str, elsewhere: Sequence[str], draw: Random) -> str | None:
    """The sentence with one number or name changed that stands in its evidence; None where there is none.

    Numbers change their digits; names are replaced by one of the evidence or of the texts `elsewhere`.
    """
    numbers = [found for found in _NUMBER.finditer(sentence) if found[0] in evidence]
    names = [found for found in _NAME.finditer(sentence) if found[0] in evidence]
    chosen = draw.choice([*numbers, *names]) if numbers or names else None
    if chosen is None:
        return None
    other = _number(chosen[0], draw) if chosen in numbers else _name(chosen[0], sentence, [evidence, *elsewhere], draw)
    return None if other is None else sentence[: chosen.start()] + other + sentence[chosen.end() :]


def _number(number: str, draw: Random) -> str:
    """Years move by a few; of others one digit changes."""
    if _YEAR.fullmatch(number):
        return str(int(number) + draw.choice([-1, 1]) * draw.randint(1, 20))
    places = [place for place, digit in enumerate(number) if digit.isdigit()]
    place = draw.choice(places)
    other = draw.choice([digit for digit in "123456789" if digit != number[place]])
    return number[:place] + other + number[place + 1 :]


def _name(name: str, sentence: str, texts: Sequence[str], draw: Random) -> str | None:
    """Of as many words, if there are any such; none that the sentence holds."""
    found = {one[0] for one in _NAME.finditer(draw.choice(texts))}
    others = sorted(one for one in found if one not in sentence and one not in name and name not in one)
    alike = [one for one in others if one.count(" ") == name.count(" ")] or others
    return draw.choice(alike) if alike else None
