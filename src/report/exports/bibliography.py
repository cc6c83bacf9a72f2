"""The sources of a check as BibTeX: address, day of access, date of the page, and a link to the Internet Archive.

Limitations: pages have no author here, and their title is the address. The link leads to the archive's copy that is
nearest to the time of access; nobody knows whether there is one.
"""

import re
from collections.abc import Mapping

from src.canonical_url import page_addresses, site, web_address
from src.check.records import CheckedClaim
from src.retrieval.scraping.page_log import PageLog

ARCHIVE = "https://web.archive.org/web/"
_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\textbraceleft{}", "}": r"\textbraceright{}",
    "%": r"\%", "#": r"\#", "&": r"\&", "_": r"\_", "$": r"\$",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
}  # fmt: skip


def archived(url: str, fetched_at: str) -> str:
    """Return where the Internet Archive shows its copy of a page that is nearest to a time in UTC; "" for no web page.

    `fetched_at`: ISO 8601, or "" for the latest copy.
    """
    if not web_address(url):
        return ""
    if len(page_addresses(url)) > 1:  # it is a copy already
        return url
    return f"{ARCHIVE}{re.sub(r'[^0-9]', '', fetched_at)[:14] or '2'}/{url}"


def bibliography(checked: CheckedClaim) -> str:
    """Return an entry for each page among the evidence, in the order of the evidence. Its key has the number there."""
    logs = {log.url: log for log in checked.pages}
    numbers: dict[str, list[int]] = {}
    for number, pair in enumerate(checked.prediction.evidence, start=1):
        if pair.url:
            numbers.setdefault(pair.url, []).append(number)
    day = f"{checked.checked_at:%Y-%m-%d}"
    return "\n".join(_entry(url, own, logs, day) for url, own in numbers.items())


def _entry(url: str, numbers: list[int], logs: Mapping[str, PageLog], day: str) -> str:
    log = logs.get(url, PageLog(row=0, url=url))
    shown = site(url) or url
    fields = {
        "title": _escaped(log.final_url or url),
        "organization": _escaped(shown),
        "url": _braceless(web_address(url)),
        "urldate": log.fetched_at[:10] or day,
        "date": log.date or "",
        "note": _note(url, numbers, log),
    }
    key = f"{re.sub(r'[^a-z0-9]+', '-', shown.lower()).strip('-') or 'source'}-{numbers[0]}"
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@misc{{{key},", *lines, "}", ""])


def _note(url: str, numbers: list[int], log: PageLog) -> str:
    cited = f"Evidence {', '.join(map(str, numbers))}"
    copy = _braceless(archived(url, log.fetched_at)).replace("%", r"\%").replace("#", r"\#")
    return rf"{cited}. Archived copy: \url{{{copy}}}" if copy else cited


def _braceless(url: str) -> str:
    """Return the URL without braces and backslashes, which BibTeX counts even after a backslash."""
    return url.replace("{", "%7B").replace("}", "%7D").replace("\\", "%5C")


def _escaped(text: str) -> str:
    return "".join(_SPECIAL.get(character, character) for character in " ".join(text.split()))
