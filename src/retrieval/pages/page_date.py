"""The publication date of a page, by htmldate: from its metadata, its marked bylines, or its URL, in this order.

Text without markup is not searched, since a wrong date would drop good evidence. Where a page gives several dates of
publication, the earliest counts.

Limitations: many pages have no date. One that gives only the date of its last change gets that. A month without a day
counts as its first day. The date is in the page's own time zone.
"""

from datetime import date, datetime

EARLIEST = date(1995, 1, 1)  # earlier dates are the zero of a clock or a century, not of a web page


def html_date(text: str, url: str, latest: date) -> str | None:
    """Return the date of an HTML page, `YYYY-MM-DD`; dates after `latest` are ignored."""
    from htmldate import find_date

    try:
        found: str | None = find_date(
            text, url=url, original_date=True, extensive_search=False, deferred_url_extractor=True,
            min_date=EARLIEST.isoformat(), max_date=latest.isoformat(),
        )  # fmt: skip
    except Exception:  # a page keeps its text whatever its date makes a parser raise
        return None
    return found


def json_date(text: str, url: str, latest: date) -> str | None:
    """Return the date of a JSON-LD document, else of its URL."""
    return html_date(f'<html><head><script type="application/ld+json">{text}</script></head></html>', url, latest)


def text_date(text: str, url: str, latest: date) -> str | None:
    """Return the date of a plain text: that in its URL, as in `/2023/02/14/`. The text is not searched."""
    return html_date("<html><body></body></html>", url, latest)


def pdf_date(created: str, url: str, latest: date) -> str | None:
    """Return the date of a PDF by its metadata, where it begins with YYYYMMDD, else by its URL."""
    try:
        day = datetime.strptime(created[:8], "%Y%m%d").date()
    except ValueError:
        return text_date("", url, latest)
    return day.isoformat() if EARLIEST <= day <= latest else text_date("", url, latest)
