"""Decoding of a page's bytes to text.

In this order: a byte-order mark; the zeros of UTF-16; UTF-8 where the bytes are valid UTF-8, whatever was declared,
since text in another encoding hardly ever is; the encoding declared in the HTTP header, then in the page itself, if the
bytes are consistent with it; a guess from a sample around characters beyond ASCII; windows-1252. Undecodable bytes
become U+FFFD and never an error.

Limitations: bytes that are valid in two single-byte encodings do not show which one is meant. A wrong declaration of
one of them is then believed, as in browsers.
"""

import codecs
import re

from src.retrieval.pages.charset_guess import guess_charset
from src.retrieval.pages.charset_labels import (
    ISO_2022_JP,
    UTF8,
    UTF16_BE,
    UTF16_LE,
    UTF32_LE,
    Charset,
    by_label,
)

DECLARED_WITHIN = 4096  # bytes in which a page declares its encoding
ZEROS_OF_UTF16 = 0.1  # share of zeros among every other byte, above which the text is UTF-16
BROKEN_UTF8 = 0.2  # largest share of broken characters among those beyond ASCII
BROKEN_DECLARED = 0.02  # largest share of undefined bytes among those beyond ASCII

_MARKS = (
    (codecs.BOM_UTF8, UTF8),
    (codecs.BOM_UTF32_LE, UTF32_LE),
    (codecs.BOM_UTF16_LE, UTF16_LE),
    (codecs.BOM_UTF16_BE, UTF16_BE),
)

_HEADER = re.compile(r"charset\s*=\s*[\"']?([^\s;\"']+)", re.IGNORECASE)
_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_XML = re.compile(rb"^\s*<\?xml[^>]*?encoding\s*=\s*[\"']([\w.:-]+)", re.IGNORECASE)
_META = re.compile(rb"<meta[^>]*?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_HIGH = bytes(range(128, 256))


def decode(data: bytes, content_type: str) -> tuple[str, str]:
    """Return the text, without a byte-order mark, and the name of its encoding."""
    if wide := unicode_mark(data):
        mark, charset = wide
        return data[len(mark) :].decode(charset.codec, "replace"), charset.name
    declared = _declared(data, content_type)
    if (text := _utf8(data)) is not None:
        if ISO_2022_JP in declared and "\x1b" in text:
            return data.decode(ISO_2022_JP.codec, "replace"), ISO_2022_JP.name
        return text, UTF8.name
    for charset in declared:
        if charset not in (UTF8, UTF16_LE, UTF16_BE) and (text := _borne_out(data, charset)) is not None:
            return text, charset.name
    guess = guess_charset(data)
    return data.decode(guess.codec, "replace"), guess.name


def unicode_mark(data: bytes) -> tuple[bytes, Charset] | None:
    """Return the byte-order mark of the bytes and its encoding; for UTF-16 without a mark, b"" and its encoding; else
    None.
    """
    for mark, charset in _MARKS:
        if data.startswith(mark):
            return mark, charset
    head = data[: DECLARED_WITHIN & ~1]
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if max(even, odd) <= ZEROS_OF_UTF16 * len(head) / 2:
        return None
    if even * 10 < odd:
        return b"", UTF16_LE
    return (b"", UTF16_BE) if odd * 10 < even else None


def _utf8(data: bytes) -> str | None:
    """Return the text if the bytes are UTF-8, with a few broken characters allowed; else None."""
    try:
        text, read = codecs.utf_8_decode(data, "strict", False)
    except UnicodeDecodeError:
        text = data.decode(errors="replace")
    else:
        if read == len(data) or not text.isascii():  # a character cut off at the end is left out
            return text
        return None
    broken = text.count("\ufffd")
    characters = len(text) - len(text.encode("ascii", "ignore"))
    return text if broken <= BROKEN_UTF8 * characters else None


def _declared(data: bytes, content_type: str) -> list[Charset]:
    """Return the encodings that header and page declare, the header's first, without unknown names."""
    head = _COMMENT.sub(b"", data[:DECLARED_WITHIN])
    header = _HEADER.search(content_type)
    labels = [header[1]] if header else []
    labels += [found[1].decode("ascii") for pattern in (_XML, _META) if (found := pattern.search(head))]
    return [charset for label in labels if (charset := by_label(label))]


def _borne_out(data: bytes, charset: Charset) -> str | None:
    """Return the text in a declared encoding; None when too many bytes are undefined in it."""
    text = data.decode(charset.codec, "replace")
    beyond = len(data) - len(data.translate(None, _HIGH))
    return text if text.count("\ufffd") <= max(1, BROKEN_DECLARED * beyond) else None
