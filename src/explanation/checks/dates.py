"""Check for months, days of a month and weekdays that neither the claim nor its evidence has.

`5 June 1990`, `June 5th` and `1990-06-05` are the same day; `5/6/1990` is that day or May 6. If the source has the
month and the day of the month, but not together, the date is a mix: an intrinsic error.

Limitations: English names only. `May` and `March` count only beside a number, or after words such as `in`.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from src.explanation.checks.grounds import Grounds
from src.explanation.records import Finding
from src.explanation.typology import ErrorType

_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_NUMBERS = {name[:3]: number for number, name in enumerate(_MONTHS, start=1)}
_NAME = r"(?P<{0}>Jan(?:uary)?|Feb(?:ruary)?|March|Mar|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\b\.?"  # noqa: E501
_DAY = r"(?P<{0}>[0-3]?\d)(?:st|nd|rd|th)?"
_SPOKEN = re.compile(
    rf"\b{_DAY.format('day')}\s+(?:of\s+)?{_NAME.format('month')}"
    rf"|\b{_NAME.format('month_first')}\s*{_DAY.format('day_behind')}\b(?![\d,.]*\d)"
    rf"|\b{_NAME.format('beside_year')},?\s+(?:of\s+)?(?=[12]\d{{3}}\b)"
    rf"|\b(?i:in|since|until|till|by|during|of|last|this|next|early|mid|late|from|to|and)[\s-]+{_NAME.format('alone')}"
)
_FIGURES = re.compile(
    r"(?<![\d/.-])(?:(?P<year>[12]\d{3})[-/. ](?P<second>[01]?\d)[-/. ](?P<third>[0-3]?\d)"
    r"|(?P<one>[0-3]?\d)[-/. ](?P<other>[0-3]?\d)[-/. ](?P<last>[12]\d{3}))(?![\d/-])"
)
_WEEKDAY = re.compile(r"\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?\b")


class Mention(NamedTuple):
    """A date in a text: possible pairs of month and day of the month; the day is 0 if only the month is given.

    `year` is that of a date in figures, else 0. In other dates the year is a number like any other.
    """

    text: str
    days: tuple[tuple[int, int], ...]
    year: int = 0


class Told(NamedTuple):
    """The days, months, weekdays and years of a source."""

    days: frozenset[tuple[int, int]]
    months: frozenset[int]
    weekdays: frozenset[str]
    years: frozenset[int]

    @property
    def of_a_month(self) -> frozenset[int]:
        """Return the days of the month, whatever the month."""
        return frozenset(day for _, day in self.days)


def mentions(text: str) -> list[Mention]:
    """Return the days and months that the text mentions."""
    return [*map(_spoken, _SPOKEN.finditer(text)), *filter(None, map(_in_figures, _FIGURES.finditer(text)))]


def in_figures(text: str) -> list[tuple[int, int]]:
    """Return the spans (start, end) of dates that are written in figures only."""
    return [found.span() for found in _FIGURES.finditer(text) if _in_figures(found)]


def untold_dates(sentence: str, place: int, grounds: Grounds) -> Iterator[Finding]:
    told = _of_source(grounds.text)
    for mention in mentions(sentence):
        if _is_untold(mention, told):
            reason = f"neither the claim nor its evidence has the day or month of {mention.text}"
            yield Finding(grounds.claim.claim_id, place, ErrorType.EXTRINSIC_ENTITY, mention.text, reason)
        elif _is_mix(mention, told):
            reason = "the evidence has this month and this day, but not together"
            yield Finding(grounds.claim.claim_id, place, ErrorType.INTRINSIC_ENTITY, mention.text, reason)
    for found in _WEEKDAY.finditer(sentence):
        if told.weekdays and found[0].removesuffix("s") not in told.weekdays:
            reason = "the claim and its evidence have another day of the week"
            yield Finding(grounds.claim.claim_id, place, ErrorType.EXTRINSIC_ENTITY, found[0], reason)


def _is_untold(mention: Mention, told: Told) -> bool:
    """Return True if the source lacks the month, or, for a date in figures, the year or the day.

    In other dates, the number check looks at year and day.
    """
    known = told.of_a_month
    in_figures = mention.year and (mention.year not in told.years or not any(day in known for _, day in mention.days))
    return bool(in_figures) or not any(month in told.months for month, _ in mention.days)


def _is_mix(mention: Mention, told: Told) -> bool:
    known = told.of_a_month
    return all(day and day in known and (month, day) not in told.days for month, day in mention.days)


@lru_cache(64)
def _of_source(text: str) -> Told:
    days = {day for mention in mentions(text) for day in mention.days}
    named = {number for name in re.findall(r"[a-z]+", text.casefold()) if (number := _month(name))}
    months = frozenset(month for month, _ in days) | frozenset(named)
    weekdays = frozenset(found.removesuffix("s") for found in _WEEKDAY.findall(text))
    years = frozenset(int(found) for found in re.findall(r"(?<!\d)[12]\d{3}(?!\d)", text))
    return Told(frozenset(day for day in days if day[1]), months, weekdays, years)


def _month(word: str) -> int | None:
    """Return the number of the month with this name or abbreviation; None for any other word."""
    number = _NUMBERS.get(word[:3])
    return number if number and _MONTHS[number - 1].startswith(word) else None


def _spoken(found: re.Match[str]) -> Mention:
    name = found["month"] or found["month_first"] or found["beside_year"] or found["alone"]
    day = int(found["day"] or found["day_behind"] or 0)
    text = found[0] if day else name
    return Mention(text.strip(" ,."), ((_NUMBERS[name[:3].lower()], day),))


def _in_figures(found: re.Match[str]) -> Mention | None:
    year = int(found["year"] or found["last"])
    if found["year"]:
        pairs = [(int(found["second"]), int(found["third"]))]
    else:
        one, other = int(found["one"]), int(found["other"])
        pairs = [(one, other), (other, one)]
    days = tuple((month, day) for month, day in pairs if 1 <= month <= 12 and 1 <= day <= 31)
    return Mention(found[0], days, year) if days else None
