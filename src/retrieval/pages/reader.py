"""Reader of one page on disk: its media type, text, sentences and date.

HTML is read by trafilatura (or another extractor). The articles in the JSON-LD are used only if it finds no sentence.
Pages with text in the published data therefore get the same text. PDF, plain text, and JSON with articles have their
own readers, and so have Word documents. Documents of the user (`OWN`) keep their short lines, which are no menus.

Limitations: runs in the calling process, without limits on time and memory; `workers.py` adds processes and limits.
"""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import msgspec

from src.errors import FatalError, one_line
from src.retrieval.pages.charset import decode
from src.retrieval.pages.docx_text import EXTRACTOR, read_docx
from src.retrieval.pages.html_text import html_lines, is_nested_too_deeply
from src.retrieval.pages.json_ld import article_lines, objects_in_html, objects_in_json
from src.retrieval.pages.media_type import DOCX, JSON, PDF, PLAIN, is_markup, media_type
from src.retrieval.pages.page_date import html_date, json_date, pdf_date, text_date
from src.retrieval.pages.pdf_text import read_pdf
from src.retrieval.pages.sentences import MIN_LENGTH, clean_lines, merge_sentences, splitter
from src.store import storable

OWN = ("file:", "text:")  # beginnings of addresses of the user's documents
NO_TEXT = "no text found"
TOO_DEEP = "nested too deeply"
OUT_OF_MEMORY = "not enough memory"
LONGEST_REASON = 200
MARGIN = 120  # longest line, in characters, of a text broken at a margin
LINES_TO_JUDGE = 2  # minimum average of lines a paragraph, where lines are broken at a margin

_BLANK = re.compile(r"\n[ \t]*\n\s*")


class PageText(msgspec.Struct, frozen=True):
    """Text of one page, or the reason why there is none. Exactly one of `sentences` and `reason` is empty.

    `sentences`: sentences in order.
    `reason`: why there are no sentences.
    `media_type`: type of the content, which may differ from the server's header.
    `extractor`: what found the text, such as `trafilatura`.
    `charset`: encoding of the page.
    `date`: publication date that the page gives, `YYYY-MM-DD`, or None.
    """

    sentences: list[str] = []
    reason: str = ""
    media_type: str = ""
    extractor: str = ""
    charset: str = ""
    date: str | None = None


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of reading pages.

    `extractor`: extractor of HTML text, `trafilatura` or `resiliparse`.
    `splitter`: sentence splitter, `punkt` or `spacy:NAME`.
    `unique`: drop sentences that occur earlier in the page; by default they are kept, as published.
    `dates`: look for the publication date; without it, `PageText.date` is None.
    `max_characters`: length above which the text of a page is cut off.
    """

    extractor: str = "trafilatura"
    splitter: str = "punkt"
    unique: bool = False
    dates: bool = True
    max_characters: int = 5_000_000


class _Extracted(msgspec.Struct, frozen=True):
    """Lines of a page before they are cleaned and split into sentences; `reason` applies if no sentence is left."""

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
        shortest = 1 if url.startswith(OWN) else MIN_LENGTH
        return _page_text(_read(data, kind, url, content_type, reading), kind, split, reading, shortest)
    except FatalError:
        raise
    except MemoryError:
        return PageText(reason=OUT_OF_MEMORY, media_type=kind)
    except RecursionError:
        return PageText(reason=TOO_DEEP, media_type=kind)
    except Exception as error:  # any error of a parser on hostile bytes goes to the log
        reason = one_line(f"cannot be read: {type(error).__name__}: {error}")
        return PageText(reason=storable(reason[:LONGEST_REASON]), media_type=kind)


def _page_text(
    extracted: _Extracted, kind: str, split: Callable[[str], list[str]], reading: Reading, shortest: int
) -> PageText:
    lines = _cut(clean_lines(extracted.lines), reading.max_characters)
    sentences = merge_sentences(lines, split, min_size=shortest)
    if reading.unique:
        sentences = list(dict.fromkeys(sentences))
    if sentences:
        return PageText(sentences, "", kind, extracted.extractor, extracted.charset, extracted.date)
    reason = f"no line of {MIN_LENGTH} characters" if any(line.strip() for line in lines) else extracted.reason
    return PageText([], reason, kind, "", extracted.charset, extracted.date)


def _read(data: bytes, kind: str, url: str, content_type: str, reading: Reading) -> _Extracted:
    """Return the lines and the date of a page of the media type `kind`."""
    latest = datetime.now(UTC).date() + timedelta(days=1)
    if not data.strip():
        return _Extracted(reason="empty page")
    if kind == PDF:
        return _read_pdf(data, url, latest, reading)
    if kind == DOCX:
        return _read_docx(data, url, latest, reading)
    if not (is_markup(kind) or kind in (JSON, PLAIN)):
        return _Extracted(reason=f"not a page: {kind}")
    text, charset = decode(data, content_type)
    if kind == PLAIN:
        extracted, date_of = _Extracted(plain_lines(text), "plain text"), text_date
    elif kind == JSON:
        extracted, date_of = _Extracted(article_lines(objects_in_json(text)), "json-ld"), json_date
    else:
        extracted, date_of = _read_html(text, reading.extractor), html_date
    day = date_of(text, url, latest) if reading.dates else None
    return msgspec.structs.replace(extracted, charset=charset, date=day)


def _read_pdf(data: bytes, url: str, latest: date, reading: Reading) -> _Extracted:
    pdf = read_pdf(data, reading.max_characters)
    day = pdf_date(pdf.created, url, latest) if reading.dates else None
    return _Extracted(pdf.lines, pdf.extractor, pdf.reason, date=day)


def _read_docx(data: bytes, url: str, latest: date, reading: Reading) -> _Extracted:
    document = read_docx(data)
    return _Extracted(
        document.lines, EXTRACTOR, date=pdf_date(document.changed, url, latest) if reading.dates else None
    )


def _read_html(text: str, extractor: str) -> _Extracted:
    """Return the text that the extractor finds, or the articles in the JSON-LD if none of its lines is long enough."""
    lines = html_lines(text, extractor)
    if any(len(line) >= MIN_LENGTH for line in lines):
        return _Extracted(lines, extractor)
    articles = article_lines(objects_in_html(text))
    if any(len(line) >= MIN_LENGTH for line in articles):
        return _Extracted(articles, "json-ld")
    return _Extracted(lines, reason=TOO_DEEP if not lines and is_nested_too_deeply(text) else NO_TEXT)


def _cut(lines: list[str], characters: int) -> list[str]:
    """Return the first lines, cut off after `characters` characters in all."""
    shortened = []
    for line in lines:
        if characters <= 0:
            break
        shortened.append(line[:characters])
        characters -= len(line)
    return shortened


def plain_lines(text: str) -> list[str]:
    """Return the paragraphs of a plain text in order, without empty ones. Lines broken at a margin are joined."""
    lines = "\n".join(text.splitlines()).strip("\n")
    paragraphs = [paragraph.split("\n") for paragraph in _BLANK.split(lines)]
    if _is_broken_at_a_margin(paragraphs):
        texts = [" ".join(line.strip() for line in paragraph) for paragraph in paragraphs]
    else:
        texts = [line for paragraph in paragraphs for line in paragraph]
    return [line.strip() for line in texts if line.strip()]


def _is_broken_at_a_margin(paragraphs: list[list[str]]) -> bool:
    """Return True if the lines of paragraphs are broken at a right margin.

    Paragraphs then have several lines, no line is longer than `MARGIN`, and most lines end within a sentence.
    """
    inner = [line for lines in paragraphs for line in lines[:-1]]
    count = sum(map(len, paragraphs))
    if count < LINES_TO_JUDGE * len(paragraphs) or any(len(line) > MARGIN for lines in paragraphs for line in lines):
        return False
    unfinished = sum(not line.rstrip().endswith((".", "!", "?", ":", ";")) for line in inner)
    return unfinished * 2 > len(inner)
