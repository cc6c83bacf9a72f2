"""Parsing of dates that pages give for machines, with a check that they are plausible.

Limitations: dates with an ambiguous order of day and month (`02/03/2023`), without a day of the month, or in seconds
since 1970 are not read. Names of months are English.
"""

import re
from datetime import date

EARLIEST = date(1900, 1, 2)  # earlier dates are the zero of a clock or a century, not of a web page
ZEROS = frozenset({date(1970, 1, 1), date(1969, 12, 31), date(1980, 1, 1)})  # dates of unset clocks

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MONTH = rf"({'|'.join(_MONTHS)})[a-z]*\.?"
_PATTERNS = (
    re.compile(r"(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)(?!\d)"),
    re.compile(r"(?P<y>\d{4})[/.](?P<m>\d\d?)[/.](?P<d>\d\d?)(?!\d)"),
    re.compile(r"(?P<y>\d{4})(?P<m>\d\d)(?P<d>\d\d)(?:T?\d{4}|T?\d{6})?(?!\d)"),
    re.compile(rf"(?:[a-z]{{3,9}}\.?,?\s+)?(?P<d>\d\d?)\s+(?P<m>{_MONTH}),?\s+(?P<y>\d{{4}})(?!\d)", re.IGNORECASE),
    re.compile(rf"(?:[a-z]{{3,9}}\.?,\s+)?(?P<m>{_MONTH})\s+(?P<d>\d\d?),?\s+(?P<y>\d{{4}})(?!\d)", re.IGNORECASE),
)


def written_day(text: object, latest: date) -> date | None:
    """Return the date at the beginning of a text, as written there (no time zone is applied).

    Returns None when there is none, or when it is not plausible (not between `EARLIEST` and `latest`, or in `ZEROS`).
    """
    if not isinstance(text, str):
        return None
    start = text.strip()[:64]
    for pattern in _PATTERNS:
        if found := pattern.match(start):
            return possible_day(found["y"], found["m"], found["d"], latest)
    return None


def possible_day(year: str, month: str, day: str, latest: date) -> date | None:
    """Return the date of that year, month (number or name) and day; None when it does not exist or is not plausible."""
    number = int(month) if month.isdecimal() else _MONTHS.index(month[:3].lower()) + 1
    try:
        found = date(int(year), number, int(day))
    except ValueError:
        return None
    return found if EARLIEST <= found <= latest and found not in ZEROS else None
