"""Reader of one page on disk: its media type, text, sentences and date.

HTML is read by trafilatura (or another extractor). Where that finds no sentence, the articles in the JSON-LD are used.
A page with text in the published data therefore has the same text here. PDF, plain text, and JSON with articles have
their own readers.

Limitations: it runs in this process and without limits; `src/retrieval/pages/workers.py` adds both.
"""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import msgspec

from src.errors import FatalError, one_line
from src.retrieval.pages.charset import decode
from src.retrieval.pages.cleaning import clean_lines
from src.retrieval.pages.dates import written_day
from src.retrieval.pages.html_text import html_lines
from src.retrieval.pages.json_ld import article_lines, objects_in_html, objects_in_json
from src.retrieval.pages.media_type import JSON, PDF, PLAIN, is_markup, media_type
from src.retrieval.pages.nesting import is_nested_too_deeply
from src.retrieval.pages.page_date import html_date, json_date, url_date
from src.retrieval.pages.page_text import PageText
from src.retrieval.pages.pdf_text import read_pdf
from src.retrieval.pages.plain_text import plain_lines
from src.retrieval.pages.sentence_rule import MIN_LENGTH, merge_sentences
from src.retrieval.pages.splitters import splitter
from src.store import storable

NO_TEXT = "no text found"
TOO_DEEP = "nested too deeply"
OUT_OF_MEMORY = "not enough memory"
LONGEST_REASON = 200


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of reading pages.

    `splitter` is a name of `src/retrieval/pages/splitters.py`, `extractor` one of `html_text.py` beside it. `unique`
    drops sentences that occur earlier in the page, `dates` looks for the page's date, and text beyond `max_characters`
    is cut off.
    """

    extractor: str = "trafilatura"
    splitter: str = "punkt"
    unique: bool = False
    dates: bool = True
    max_characters: int = 5_000_000


class _Found(msgspec.Struct, frozen=True):
    lines: list[str] = []
    extractor: str = ""
    reason: str = NO_TEXT
    charset: str = ""
    date: str | None = None


def read_page(path: Path, *, url: str, content_type: str, reading: Reading) -> PageText:
    """Return the sentences of a page, or the reason why there are none. Never raises for the content of a page.

    `content_type` is the server's header. Raises MissingExtra when the splitter or the extractor is not installed.
    """
    split = splitter(reading.splitter)
    kind = ""
    try:
        data = path.read_bytes()
        kind = media_type(data, content_type)
        return _page_text(_read(data, kind, url, content_type, reading), kind, split, reading)
    except FatalError:
        raise
    except MemoryError:
        return PageText(reason=OUT_OF_MEMORY, media_type=kind)
    except RecursionError:
        return PageText(reason=TOO_DEEP, media_type=kind)
    except Exception as error:  # any error of a parser on hostile bytes goes to the log
        reason = one_line(f"cannot be read: {type(error).__name__}: {error}")
        return PageText(reason=storable(reason[:LONGEST_REASON]), media_type=kind)


def _page_text(found: _Found, kind: str, split: Callable[[str], list[str]], reading: Reading) -> PageText:
    lines = _cut(clean_lines(found.lines), reading.max_characters)
    sentences = merge_sentences(lines, split)
    if reading.unique:
        sentences = list(dict.fromkeys(sentences))
    if sentences:
        return PageText(sentences, "", kind, found.extractor, found.charset, found.date)
    reason = f"no line of {MIN_LENGTH} characters" if any(line.strip() for line in lines) else found.reason
    return PageText([], reason, kind, "", found.charset, found.date)


def _read(data: bytes, kind: str, url: str, content_type: str, reading: Reading) -> _Found:
    latest = datetime.now(UTC).date() + timedelta(days=1)
    if not data.strip():
        return _Found(reason="empty page")
    if kind == PDF:
        return _read_pdf(data, url, latest, reading)
    if not (is_markup(kind) or kind in (JSON, PLAIN)):
        return _Found(reason=f"not a page: {kind}")
    text, charset = decode(data, content_type)
    if kind == PLAIN:
        found, day = _Found(plain_lines(text), "plain text"), url_date(url, latest)
    elif kind == JSON:
        objects = objects_in_json(text)
        found, day = _Found(article_lines(objects), "json-ld"), json_date(objects, latest) or url_date(url, latest)
    else:
        found, day = _read_html(text, reading.extractor), html_date(text, url, latest) if reading.dates else None
    return msgspec.structs.replace(found, charset=charset, date=day if reading.dates else None)


def _read_pdf(data: bytes, url: str, latest: date, reading: Reading) -> _Found:
    pdf = read_pdf(data, reading.max_characters)
    day = written_day(pdf.created, latest)
    return _Found(
        pdf.lines,
        pdf.extractor,
        pdf.reason,
        date=(str(day) if day else url_date(url, latest)) if reading.dates else None,
    )


def _read_html(text: str, extractor: str) -> _Found:
    """Return the extractor's text; the JSON-LD's articles where no line of that is long enough."""
    lines = html_lines(text, extractor)
    if any(len(line) >= MIN_LENGTH for line in lines):
        return _Found(lines, extractor)
    articles = article_lines(objects_in_html(text))
    if any(len(line) >= MIN_LENGTH for line in articles):
        return _Found(articles, "json-ld")
    return _Found(lines, reason=TOO_DEEP if not lines and is_nested_too_deeply(text) else NO_TEXT)


def _cut(lines: list[str], characters: int) -> list[str]:
    """Return the lines until they hold that many characters together."""
    kept = []
    for line in lines:
        if characters <= 0:
            break
        kept.append(line[:characters])
        characters -= len(line)
    return kept
