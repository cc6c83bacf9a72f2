"""Conversion of a true sentence to a false one: a number is changed, or a name is replaced by one of another text.

Such a sentence reads like the original, and differs only in a detail that the evidence decides.

Limitations: names and numbers are recognized by capital letters and digits. Some changed sentences are still true.
"""

import re
from collections.abc import Sequence
from random import Random

_NUMBER = re.compile(r"(?<![\w.,])\d[\d,]*(?:\.\d+)?(?![\w])")
_NAME = re.compile(r"(?<!^)(?<![.!?] )\b[A-Z][\w'.-]*(?: (?:of |the |de |von )?[A-Z][\w'.-]*)*")
_YEAR = re.compile(r"1[5-9]\d\d|20\d\d")


def swapped(sentence: str, evidence: str, elsewhere: Sequence[str], draw: Random) -> str | None:
    """Return the sentence with a changed number or name that is also in its evidence, or None if there is none.

    Years and digits are changed. Names are replaced by one of the evidence or of the texts `elsewhere`.
    """
    numbers = [found for found in _NUMBER.finditer(sentence) if found[0] in evidence]
    names = [found for found in _NAME.finditer(sentence) if found[0] in evidence]
    chosen = draw.choice([*numbers, *names]) if numbers or names else None
    if chosen is None:
        return None
    other = _number(chosen[0], draw) if chosen in numbers else _name(chosen[0], sentence, [evidence, *elsewhere], draw)
    return None if other is None else sentence[: chosen.start()] + other + sentence[chosen.end() :]


def _number(number: str, draw: Random) -> str:
    """Return another number: a year moved by 1 to 20, or a number with one digit changed."""
    if _YEAR.fullmatch(number):
        return str(int(number) + draw.choice([-1, 1]) * draw.randint(1, 20))
    places = [place for place, digit in enumerate(number) if digit.isdigit()]
    place = draw.choice(places)
    other = draw.choice([digit for digit in "123456789" if digit != number[place]])
    return number[:place] + other + number[place + 1 :]


def _name(name: str, sentence: str, texts: Sequence[str], draw: Random) -> str | None:
    """Return another name of a drawn text that is not in the sentence, or None if there is none.

    Names with the same number of words are preferred.
    """
    found = {one[0] for one in _NAME.finditer(draw.choice(texts))}
    others = sorted(one for one in found if one not in sentence and one not in name and name not in one)
    alike = [one for one in others if one.count(" ") == name.count(" ")] or others
    return draw.choice(alike) if alike else None
