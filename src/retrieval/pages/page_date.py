"""Publication date of a page, by htmldate: from its metadata, its marked-up bylines, or its URL, in this order.

Dates in running text are ignored, since a wrong date would drop good evidence. If a page gives several publication
dates, the earliest is taken.

Limitations: many pages have no date. If a page gives only the date of its last change, that date is taken. A month
without a day is its first day. The date is in the page's own time zone.
"""

from datetime import date, datetime

EARLIEST = date(1995, 1, 1)  # earlier dates are defaults of clocks, not dates of web pages


def html_date(text: str, url: str, latest: date) -> str | None:
    """Return the publication date of an HTML page, `YYYY-MM-DD`, or None; dates after `latest` are ignored."""
    from htmldate import find_date

    try:
        published: str | None = find_date(
            text, url=url, original_date=True, extensive_search=False, deferred_url_extractor=True,
            min_date=EARLIEST.isoformat(), max_date=latest.isoformat(),
        )  # fmt: skip
    except Exception:  # an error of the date parser must not lose the text of the page
        return None
    return published


def json_date(text: str, url: str, latest: date) -> str | None:
    """Return the publication date of a JSON-LD document, else the date in its URL, else None."""
    return html_date(f'<html><head><script type="application/ld+json">{text}</script></head></html>', url, latest)


def text_date(text: str, url: str, latest: date) -> str | None:
    """Return the date in the URL of a plain text, such as `/2023/02/14/`, or None. The text is not searched."""
    return html_date("<html><body></body></html>", url, latest)


def pdf_date(created: str, url: str, latest: date) -> str | None:
    """Return the date of a PDF: its creation date `created` if it begins with YYYYMMDD, else the date in its URL."""
    try:
        day = datetime.strptime(created[:8], "%Y%m%d").date()
    except ValueError:
        return text_date("", url, latest)
    return day.isoformat() if EARLIEST <= day <= latest else text_date("", url, latest)
