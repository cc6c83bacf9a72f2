"""Check for numbers that neither the claim nor its evidence has; `dates.py` checks dates in figures."""

from collections.abc import Iterator

from src.explanation.checks.dates import in_figures
from src.explanation.checks.grounds import Grounds
from src.explanation.records import Finding
from src.explanation.typology import ErrorType
from src.quantities import quantities

SMALL = 3  # whole numbers up to this, without a unit, are not checked: they count things, as in `the two answers`


def untold_numbers(sentence: str, place: int, grounds: Grounds) -> Iterator[Finding]:
    in_dates = {place for start, end in in_figures(sentence) for place in range(start, end)}
    for number in quantities(sentence):
        if number.start in in_dates:
            continue
        if (number.value > SMALL or number.decimals or number.unit) and not grounds.quantities.has(number):
            reason = "neither the claim nor its evidence has this number"
            yield Finding(grounds.claim.claim_id, place, ErrorType.EXTRINSIC_ENTITY, number.text, reason)
