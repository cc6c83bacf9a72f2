"""Lexical checks of a sentence: numbers, dates, quantifiers, relevance.

The first three yield a finding for what the source (claim and evidence) does not have: numbers; months, days of a month
and weekdays; words that allow no exception, such as all or never. `irrelevant` finds sentences that share almost no
words with the source.

`5 June 1990`, `June 5th` and `1990-06-05` are the same day; `5/6/1990` is June 5 or May 6. If the source has the month
and the day of the month, but not together, the date is a mix: an intrinsic error.

Limitations: English names of months and days only. `May` and `March` count only beside a number, or after words such as
`in`. Short sentences and sentences about the evidence itself are not checked for relevance.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from src.explanation.checks.grounds import Grounds, without_references
from src.explanation.records import Finding
from src.explanation.typology import ErrorType
from src.quantities import quantities
from src.reranking.hybrid.own_words import own_words

SMALL = 3  # whole numbers up to this, without a unit, are not checked: they count things, as in `the two answers`


def unknown_numbers(sentence: str, place: int, grounds: Grounds) -> Iterator[Finding]:
    in_dates = {at for start, end in in_figures(sentence) for at in range(start, end)}
    for number in quantities(sentence):
        if number.start in in_dates:
            continue
        if (number.value > SMALL or number.decimals or number.unit) and not grounds.quantities.has(number):
            reason = "neither the claim nor its evidence has this number"
            yield Finding(grounds.claim.claim_id, place, ErrorType.EXTRINSIC_ENTITY, number.text, reason)


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
    """A date in a text.

    `text`: the date as written.
    `days`: possible (month, day of the month) pairs; the day is 0 if only the month is given.
    `year`: year of a date written in figures only, else 0; elsewhere a year is checked as a number.
    """

    text: str
    days: tuple[tuple[int, int], ...]
    year: int = 0


class SourceDates(NamedTuple):
    """The (month, day) pairs, months, weekdays and years in the claim and its evidence."""

    days: frozenset[tuple[int, int]]
    months: frozenset[int]
    weekdays: frozenset[str]
    years: frozenset[int]

    @property
    def of_a_month(self) -> frozenset[int]:
        """Return the days of the month that the source names, without their months."""
        return frozenset(day for _, day in self.days)


def mentions(text: str) -> list[Mention]:
    """Return all dates in the text: days and months, in words or in figures."""
    return [*map(_spoken, _SPOKEN.finditer(text)), *filter(None, map(_in_figures, _FIGURES.finditer(text)))]


def in_figures(text: str) -> list[tuple[int, int]]:
    """Return the spans (start, end) of dates that are written in figures only."""
    return [match.span() for match in _FIGURES.finditer(text) if _in_figures(match)]


def unknown_dates(sentence: str, place: int, grounds: Grounds) -> Iterator[Finding]:
    source = _dates_of(grounds.text)
    for mention in mentions(sentence):
        if _is_unknown(mention, source):
            reason = f"neither the claim nor its evidence has the day or month of {mention.text}"
            yield Finding(grounds.claim.claim_id, place, ErrorType.EXTRINSIC_ENTITY, mention.text, reason)
        elif _is_mix(mention, source):
            reason = "the evidence has this month and this day, but not together"
            yield Finding(grounds.claim.claim_id, place, ErrorType.INTRINSIC_ENTITY, mention.text, reason)
    for match in _WEEKDAY.finditer(sentence):
        if source.weekdays and match[0].removesuffix("s") not in source.weekdays:
            reason = "the claim and its evidence have another day of the week"
            yield Finding(grounds.claim.claim_id, place, ErrorType.EXTRINSIC_ENTITY, match[0], reason)


def _is_unknown(mention: Mention, source: SourceDates) -> bool:
    """Return True if the source lacks the month, or, for a date in figures, the year or the day.

    For other dates, `unknown_numbers` checks the year and the day.
    """
    known = source.of_a_month
    in_figures = mention.year and (mention.year not in source.years or not any(day in known for _, day in mention.days))
    return bool(in_figures) or not any(month in source.months for month, _ in mention.days)


def _is_mix(mention: Mention, source: SourceDates) -> bool:
    known = source.of_a_month
    return all(day and day in known and (month, day) not in source.days for month, day in mention.days)


@lru_cache(64)
def _dates_of(text: str) -> SourceDates:
    days = {day for mention in mentions(text) for day in mention.days}
    named = {number for name in re.findall(r"[a-z]+", text.casefold()) if (number := _month(name))}
    months = frozenset(month for month, _ in days) | frozenset(named)
    weekdays = frozenset(word.removesuffix("s") for word in _WEEKDAY.findall(text))
    years = frozenset(int(word) for word in re.findall(r"(?<!\d)[12]\d{3}(?!\d)", text))
    return SourceDates(frozenset(day for day in days if day[1]), months, weekdays, years)


def _month(word: str) -> int | None:
    """Return the number of the month with this name or abbreviation; None for any other word."""
    number = _NUMBERS.get(word[:3])
    return number if number and _MONTHS[number - 1].startswith(word) else None


def _spoken(match: re.Match[str]) -> Mention:
    name = match["month"] or match["month_first"] or match["beside_year"] or match["alone"]
    day = int(match["day"] or match["day_behind"] or 0)
    text = match[0] if day else name
    return Mention(text.strip(" ,."), ((_NUMBERS[name[:3].lower()], day),))


def _in_figures(match: re.Match[str]) -> Mention | None:
    year = int(match["year"] or match["last"])
    if match["year"]:
        pairs = [(int(match["second"]), int(match["third"]))]
    else:
        one, other = int(match["one"]), int(match["other"])
        pairs = [(one, other), (other, one)]
    days = tuple((month, day) for month, day in pairs if 1 <= month <= 12 and 1 <= day <= 31)
    return Mention(match[0], days, year) if days else None


_KINDS = (
    r"all|every|everyone|everybody|everything|each|entire|entirely|whole|wholly|completely|totally|any|anyone|"
    r"anybody|100\s?%|hundred per ?cent",
    r"every ?where|anywhere|worldwide|the (?:whole |entire )?world|universal(?:ly)?|globally|on earth|across the board",
    r"none|nobody|no one|no-one|nothing|nowhere|not a single|not one|no exceptions?",
    r"always|invariably|constantly|forever|for ever|eternally|at all times|every time|on every occasion|"
    r"in (?:all|every|each|any) (?:\w+ )?(?:case|circumstance|instance|situation|condition)s?|"
    r"under (?:all|any|every) (?:\w+ )?(?:circumstance|condition)s?|without (?:any )?(?:exceptions?|fail)",
    r"never|at no (?:time|point)|not once",
    r"solely|exclusively|purely",
    r"certainly|undoubtedly|undeniabl[ey]|indisputabl[ey]|unquestionabl[ey]|definitely|conclusively|inevitabl[ey]|"
    r"absolutely|proves|proved|proven|guarantees|guaranteed|beyond (?:\w+ )?(?:doubt|question|dispute)|"
    r"no (?:doubt|question) that|it is (?:certain|clear to everyone)|necessarily",
    r"most|majority",
)
_PATTERNS = [re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE) for words in _KINDS]
_OF_EVIDENCE = re.compile(
    r"\b(?:all|both|each|every|none|any|most|only)\s+(?:of\s+)?(?:the\s+|these\s+)?(?:\w+\s+)?"
    r"(?:(?:evidence|answers?|sources?|questions?|pairs?|qas?|information|links?)\b|\s{3})"
    r"|(?:(?:sources|answers|pairs)\s+|\s{4})all\b|\bnothing that was found\b",
    re.IGNORECASE,
)


@lru_cache(64)
def _quantifiers_of(text: str) -> frozenset[re.Pattern[str]]:
    """Return the kinds of quantifiers (`_PATTERNS`) in the text, cached for all sentences of an explanation."""
    return frozenset(pattern for pattern in _PATTERNS if pattern.search(text))


def wider_quantifiers(sentence: str, place: int, grounds: Grounds) -> Iterator[Finding]:
    """Yield a finding for each kind of quantifier that the sentence has and the source lacks; statements about the
    evidence itself are not checked.
    """
    plain = _OF_EVIDENCE.sub(lambda match: " " * len(match[0]), sentence)
    for pattern in _PATTERNS:
        match = pattern.search(plain)
        if match is not None and pattern not in _quantifiers_of(grounds.text):
            reason = "neither the claim nor its evidence goes so far"
            yield Finding(grounds.claim.claim_id, place, ErrorType.OVERGENERALISATION, match[0], reason)


FEWEST = 5  # fewest different content words of a sentence that is checked
SHARED = 0.25  # smallest share of its content words that claim or evidence must have
_OF_TASK = re.compile(
    r"\s{3}|\b(?:claim|evidence|answers?|questions?|pairs?|sources?|qas?|q&as?|label|supported|refuted|refutes?|statement|"
    r"information|fact[- ]check\w*|article|conflicting|confirms?|true|false|image|post|video)\b",
    re.IGNORECASE,
)


def speaks_of_task(text: str) -> bool:
    """Return True if the text mentions the fact-check itself: the claim, its verdict or the evidence."""
    return bool(_OF_TASK.search(without_references(text)))


def irrelevant(sentence: str, place: int, grounds: Grounds) -> Iterator[Finding]:
    if _OF_TASK.search(sentence):
        return
    words = set(own_words(sentence))
    if len(words) >= FEWEST and len(words & grounds.words) < SHARED * len(words):
        reason = "it shares next to nothing with the claim and its evidence"
        yield Finding(grounds.claim.claim_id, place, ErrorType.IRRELEVANT_EVIDENCE, sentence.strip(), reason)
