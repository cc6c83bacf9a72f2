"""Numbers in texts, compared by value: `1,000` equals `a thousand`, `6 percent` equals `6%`.

Limitations: percent and currencies are the only known units; a number of feet equals the same number of years.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import NamedTuple

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ORDINALS = "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_SCALES = {
    "hundred": 1e2, "thousand": 1e3, "k": 1e3, "million": 1e6, "m": 1e6, "mn": 1e6, "billion": 1e9, "bn": 1e9,
    "trillion": 1e12, "tn": 1e12, "lakh": 1e5, "crore": 1e7,
}  # fmt: skip
_WORDS = {word: float(value) for value, word in enumerate(_ONES.split())}
_WORDS |= {word: 10.0 * value for value, word in enumerate(_TENS.split(), start=2)}
_WORDS |= {word: float(value) for value, word in enumerate(_ORDINALS.split())} | {"dozen": 12.0, "half": 0.5}
_DIGITS = r"\d{1,3}(?:,\d{2,3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_NAMES = "|".join(sorted(_WORDS, key=len, reverse=True))
_NUMBER = re.compile(
    rf"(?<![\w.,])(?P<digits>{_DIGITS})(?P<ordinal>st|nd|rd|th)?(?:\s?(?P<scale>{'|'.join(_SCALES)})\b)?(?![\w])"
    rf"|\b(?P<words>(?:{_NAMES})(?:[\s-]+(?:and\s+)?(?:{_NAMES}|hundred|thousand|million|billion|trillion))*)\b",
    re.IGNORECASE,
)


_SLACK = 1e-8  # of a value: tolerance for floating-point errors
_BEFORE = re.compile(r"([$\u20ac\u00a3\u20b9])\s?$|\b(Rs)\.?\s?$")
_BEHIND = re.compile(r"\s?(%|per ?cent\b|pc\b)|[\s-](dollars?|euros?|pounds?|rupees?|crowns?|yen|yuan|naira|pesos?)\b")
_UNITS = {
    "$": "dollar", "\u20ac": "euro", "\u00a3": "pound", "\u20b9": "rupee", "Rs": "rupee", "percent": "%",
    "per cent": "%", "pc": "%",
}  # fmt: skip


class Quantity(NamedTuple):
    """Number in a text.

    `value`: numeric value, such as 7.8e12 for `7.8 trillion`.
    `text`: the number as written.
    `decimals`: digits after the decimal point as written, such as 1 for `7.8 trillion`.
    `scale`: factor of the scale word after digits, such as 1e12 for `trillion`; else 1.
    `unit`: `%`, a currency such as `dollar`, or "".
    `start`: character offset in the text.
    """

    value: float
    text: str
    decimals: int
    scale: float
    unit: str = ""
    start: int = 0


def quantities(text: str) -> list[Quantity]:
    """Return the numbers in the text, in order."""
    return [_quantity(match) for match in _NUMBER.finditer(text)]


def is_given(number: Quantity, source: Iterable[Quantity]) -> bool:
    """Return True if `source` contains `number`: an equal value, or one that rounds to it, in the same unit.

    A value in `source` may also equal `number` without its scale word, as 7.8 does for `7.8 trillion`. A number without
    a unit matches any unit.
    """
    return any(_fits(number, given) and (number.unit or given.unit) == (given.unit or number.unit) for given in source)


class QuantityIndex:
    """Quantities of a source, sorted by value for fast lookup."""

    def __init__(self, source: Iterable[Quantity]) -> None:
        self._source = sorted({(quantity.value, quantity.unit): quantity for quantity in source}.values(), key=_value)

    def has(self, number: Quantity) -> bool:
        """Return True if the source contains this number, by the rules of `is_given`."""
        near = 10.0**-number.decimals * number.scale + _SLACK * abs(number.value)
        spans = ((number.value - near, number.value + near), (number.value / number.scale,) * 2)
        return any(is_given(number, self._between(low, high)) for low, high in spans)

    def _between(self, low: float, high: float) -> list[Quantity]:
        first, end = bisect_left(self._source, low, key=_value), bisect_right(self._source, high, key=_value)
        return self._source[first:end]


def _value(quantity: Quantity) -> float:
    return quantity.value


def _fits(number: Quantity, other: Quantity) -> bool:
    if number.value == other.value or number.value / number.scale == other.value:
        return True
    rounded = round(other.value / number.scale, number.decimals) * number.scale
    is_rough = number.scale > 1 or not other.value.is_integer()
    return is_rough and abs(rounded - number.value) < 1e-9 * max(1.0, abs(number.value))


def _quantity(match: re.Match[str]) -> Quantity:
    unit, start = _unit(match), match.start()
    if digits := match["digits"]:
        scale = _SCALES[match["scale"].lower()] if match["scale"] else 1.0
        _, _, behind = digits.partition(".")
        return Quantity(float(digits.replace(",", "")) * scale, match[0], len(behind), scale, unit, start)
    return Quantity(_spoken(match["words"]), match[0], 0, 1.0, unit, start)


def _unit(match: re.Match[str]) -> str:
    start = match.start()
    beside = _BEHIND.match(match.string, match.end()) or _BEFORE.search(match.string[max(0, start - 5) : start])
    sign = next(filter(None, beside.groups())) if beside else ""
    return _UNITS.get(sign, sign.removesuffix("s") if len(sign) > 1 else sign)


def _spoken(text: str) -> float:
    """Return the value of a number in words: `two hundred and five` is 205."""
    total, part = 0.0, 0.0
    for word in re.findall(r"[a-z]+", text.lower()):
        if word == "and":
            continue
        if word == "hundred":
            part = max(part, 1.0) * 100.0
        elif word in _SCALES:
            total, part = total + max(part, 1.0) * _SCALES[word], 0.0
        else:
            part += _WORDS[word]
    return total + part
