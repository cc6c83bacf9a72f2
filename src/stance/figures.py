"""Compares the figures of a claim with those of a passage: "doubled", "by a third", "more than 40 buses".

    change     the claim says by which factor something changed, the passage gives both values ("from 5.8 to 6.1 per
               cent"): for it where the factors agree within a tenth, else against it
    threshold  the claim says more, less, at least or at most so many of something, the passage counts the same thing:
               for it where the count is on that side, else against it

Limitations: English; of a passage that shares less than `COVERED` of the claim's words nothing is compared, nor of a
claim that denies something ("have not doubled"; "no more than" is a limit and no denial). Two values that belong to
different things are compared all the same. "Over 5 years" is taken for a threshold, "over the past 5 years" is not.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from src.quantities import Quantity, quantities
from src.reranking.hybrid.denial import denies
from src.reranking.hybrid.own_words import own_words

COVERED = 0.35
BEHIND = 2  # words behind a number that may be what it counts
AGREE = 0.1  # relative difference of two factors that are the same
_UP = r"(?:rose|risen|rise|grew|grown|went up|gone up|increased?|climbed|jumped|up)"
_DOWN = r"(?:fell|fallen|fall|dropped?|went down|gone down|decreased?|shr(?:ank|unk)|declined?|down|cut)"
_PARTS = {"half": 1 / 2, "third": 1 / 3, "quarter": 1 / 4, "fifth": 1 / 5, "tenth": 1 / 10, "two thirds": 2 / 3,
          "three quarters": 3 / 4}  # fmt: skip
_TIMES = {"doubl": 2.0, "tripl": 3.0, "trebl": 3.0, "quadrupl": 4.0, "halv": 0.5}
_FACTOR = re.compile(rf"\b({'|'.join(_TIMES)})(?:ed|ing|es?)\b", re.IGNORECASE)
_BY_PART = re.compile(
    rf"\b({_UP}|{_DOWN})\b[^.;]{{0,40}}?\bby (?:about |around |nearly |almost |over |more than )?(?:an? |one )?"
    rf"({'|'.join(sorted(_PARTS, key=len, reverse=True))})s?\b",
    re.IGNORECASE,
)
_BY_PERCENT = re.compile(
    rf"\b({_UP}|{_DOWN})\b[^.;]{{0,40}}?\bby (?:about |around |nearly |almost )?(\d+(?:\.\d+)?) ?(?:%|per ?cent\b)",
    re.IGNORECASE,
)
_FROM_TO = re.compile(r"\bfrom\b(.{1,60}?)\bto\b(.{1,40})", re.IGNORECASE)
_PLAIN = r"(?<!\bno )(?<!\bnot )"
_BARE = r"(?! (?:the|these)\b)"  # "over the past 5 years" is no threshold
_MORE = re.compile(
    rf"\b((?:no|not) (?:fewer|less) than|at least|{_PLAIN}(?:more than|(?:over|above){_BARE}|exceed(?:s|ed)?)) (?=\w)",
    re.IGNORECASE,
)
_LESS = re.compile(
    rf"\b((?:no|not) more than|at most|not even|{_PLAIN}(?:less than|fewer than|(?:under|below){_BARE})) (?=\w)",
    re.IGNORECASE,
)
_INCLUSIVE = re.compile(r"(?:at|no|not (?:fewer|less|more)) ", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z]{3,}")


class Comparison(NamedTuple):
    """How many comparisons speak for the claim, and how many against it."""

    agree: int
    differ: int


def compare(claim: str, passage: str) -> Comparison:
    """Return what the figures of the passage say to those of the claim."""
    claim = " ".join(claim.split())
    wanted = set(own_words(claim))
    if denies(_LESS.sub("", _MORE.sub("", claim))):
        return Comparison(0, 0)
    if not wanted or len(wanted & set(own_words(passage))) < COVERED * len(wanted):
        return Comparison(0, 0)
    found = [*_changes(claim, passage), *_thresholds(claim, passage)]
    return Comparison(found.count(True), found.count(False))


def _changes(claim: str, passage: str) -> Iterator[bool]:
    factor = _factor_of(claim)
    if factor is None:
        return
    for before, after in _values(passage):
        found = after / before
        yield abs(found - factor) <= AGREE * factor


def _factor_of(claim: str) -> float | None:
    if match := _FACTOR.search(claim):
        return _TIMES[match[1].lower()]
    if match := _BY_PART.search(claim):
        share = _PARTS[match[2].lower()]
    elif match := _BY_PERCENT.search(claim):
        share = float(match[2]) / 100
    else:
        return None
    return 1 + share if re.fullmatch(_UP, match[1], re.IGNORECASE) else 1 - share


def _values(passage: str) -> Iterator[tuple[float, float]]:
    """Yield both values of every "from A to B" that are of one unit; years are none."""
    for match in _FROM_TO.finditer(passage):
        before, after = _first(match[1]), _first(match[2])
        if before and after and before.value > 0 and (before.unit or after.unit) == (after.unit or before.unit):
            yield before.value, after.value


def _first(text: str) -> Quantity | None:
    return next((one for one in quantities(text) if not _is_year(one)), None)


def _is_year(one: Quantity) -> bool:
    return one.scale == 1 and not one.unit and one.value == int(one.value) and 1500 <= one.value <= 2100


def _thresholds(claim: str, passage: str) -> Iterator[bool]:
    for pattern, is_more in ((_MORE, True), (_LESS, False)):
        for match in pattern.finditer(claim):
            limit = _first(claim[match.end() : match.end() + 30])
            things = _things(claim[match.end() :], limit) if limit else frozenset()
            if not limit or not things:
                continue
            for one in quantities(passage):
                if not _is_year(one) and things & _things(passage, one):
                    at_limit = one.value == limit.value and _INCLUSIVE.match(match[1]) is not None
                    yield (one.value > limit.value if is_more else one.value < limit.value) or at_limit


def _things(text: str, number: Quantity) -> frozenset[str]:
    """Return what the number counts: its unit, or the stems of the words behind it."""
    if number.unit:
        return frozenset([number.unit])
    end = number.start + len(number.text)
    return frozenset(own_words(" ".join(_WORD.findall(text[end : end + 40])[:BEHIND])))
