"""Detection of a page's media type by its first bytes; the server's header decides only between types of text.

Limitations: archives are not opened. A zip that names the text of a Word document is one; other office documents are
zips. MHTML and e-mails count as plain text.
"""

import re

from src.retrieval.pages.charset import unicode_mark

PDF = "application/pdf"
HTML = "text/html"
XML = "application/xml"
JSON = "application/json"
PLAIN = "text/plain"
UNKNOWN = "application/octet-stream"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

HEAD = 4096  # bytes that are examined
PDF_HEAD = 1024  # bytes within which PDF readers look for the mark
BINARY_SHARE = 0.02  # largest share of control characters in the head of a text

_SIGNATURES: tuple[tuple[int, bytes, str], ...] = (
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF87a", "image/gif"),
    (0, b"GIF89a", "image/gif"),
    (0, b"BM", "image/bmp"),
    (0, b"\x00\x00\x01\x00", "image/x-icon"),
    (0, b"II*\x00", "image/tiff"),
    (0, b"MM\x00*", "image/tiff"),
    (8, b"WEBP", "image/webp"),
    (8, b"WAVE", "audio/wav"),
    (8, b"AVI ", "video/x-msvideo"),
    (4, b"ftypavif", "image/avif"),
    (4, b"ftypheic", "image/heic"),
    (4, b"ftypM4A", "audio/mp4"),
    (4, b"ftyp", "video/mp4"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"\xff\xfb", "audio/mpeg"),
    (0, b"OggS", "application/ogg"),
    (0, b"fLaC", "audio/flac"),
    (0, b"\x1aE\xdf\xa3", "video/webm"),
    (0, b"FLV\x01", "video/x-flv"),
    (0, b"PK\x03\x04", "application/zip"),
    (0, b"PK\x05\x06", "application/zip"),
    (0, b"\x1f\x8b", "application/gzip"),
    (0, b"BZh", "application/x-bzip2"),
    (0, b"\xfd7zXZ\x00", "application/x-xz"),
    (0, b"(\xb5/\xfd", "application/zstd"),
    (0, b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (0, b"Rar!\x1a\x07", "application/vnd.rar"),
    (257, b"ustar", "application/x-tar"),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
    (0, b"{\\rtf", "application/rtf"),
    (0, b"%!PS", "application/postscript"),
    (0, b"wOFF", "font/woff"),
    (0, b"wOF2", "font/woff2"),
    (0, b"\x00asm", "application/wasm"),
    (0, b"\x7fELF", "application/x-executable"),
    (0, b"SQLite format 3\x00", "application/vnd.sqlite3"),
)
_PRINTABLE = (b"BM", b"ID3", b"BZh")  # signatures that may also begin a text

# White space, comments and declarations before the first element of markup.
_IGNORED = rb"(?>\s|<!--.*?-->|<\?.*?\?>|<!DOCTYPE(?!\s+html)[^>]*>)*+"
_HTML_START = re.compile(_IGNORED + rb"<(?:!doctype\s+html|html|head|body|frameset)\b", re.IGNORECASE | re.DOTALL)
_HTML_INSIDE = re.compile(rb"<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_TAG_START = re.compile(
    _IGNORED + rb"<(?:script|style|title|meta|link|base|noscript|iframe|main|article|section|header|nav|aside|div|span|"
    rb"table|h[1-6]|p|a|b|br|i|em|strong|center|font|form|ul|ol|img|blockquote)[\s/>]",
    re.IGNORECASE | re.DOTALL,
)
_XML_START = re.compile(_IGNORED + rb"<(?:\w+:)?(\w+)", re.IGNORECASE | re.DOTALL)
_XML_ROOTS = {
    b"rss": "application/rss+xml",
    b"rdf": "application/rss+xml",
    b"feed": "application/atom+xml",
    b"svg": "image/svg+xml",
}
_JSON_START = re.compile(rb'\s*(?:\{\s*["}]|\[\s*[\[{"\]])')
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_TEXT_TYPES = {
    "text/html": HTML,
    "application/xhtml+xml": HTML,
    "text/xml": XML,
    "application/xml": XML,
    "application/json": JSON,
    "application/ld+json": JSON,
}
_NO_PROSE = ("text/css", "text/javascript", "application/javascript", "application/x-javascript", "text/vcard")


def media_type(data: bytes, content_type: str) -> str:
    """Return the media type of a page with the bytes `data`; `content_type` is the server's header, or "".

    HTML and XHTML are `text/html`, RSS and Atom have their own types, other XML is `application/xml`.
    """
    head = data[:HEAD]
    if head[:PDF_HEAD].lstrip().startswith(b"%PDF"):
        return PDF
    for offset, mark, name in _SIGNATURES:
        if head.startswith(mark, offset) and not (mark in _PRINTABLE and _is_text(head)):
            return DOCX if name == "application/zip" and b"word/document.xml" in data else name
    text = _as_ascii(head)
    if _HTML_START.match(text):
        return HTML
    if b"%PDF-" in head[:PDF_HEAD]:
        return PDF
    if not _is_text(text):
        return UNKNOWN
    return _kind_of_text(text, header_type(content_type))


def header_type(content_type: str) -> str:
    """Return the type in a Content-Type header, in lower case and without parameters."""
    return content_type.partition(";")[0].strip().lower()


def is_markup(kind: str) -> bool:
    """Return True if pages of the media type `kind` are read as HTML."""
    return kind in (HTML, XML) or (kind.endswith("+xml") and kind != "image/svg+xml")


def _kind_of_text(text: bytes, header: str) -> str:
    root = _XML_START.match(text)
    if root and (known := _XML_ROOTS.get(root[1].lower())):
        return known
    if header in _NO_PROSE:
        return header
    if _JSON_START.match(text) and _TEXT_TYPES.get(header, JSON) == JSON:
        return JSON
    if text.lstrip().startswith(b"<?xml"):
        return XML
    if header in _TEXT_TYPES:
        return _TEXT_TYPES[header]
    if header != PLAIN and (_TAG_START.match(text) or _HTML_INSIDE.search(text)):
        return HTML
    return PLAIN


def _as_ascii(head: bytes) -> bytes:
    """Return the head of a file in ASCII-compatible bytes: UTF-16 and UTF-32 are converted to UTF-8."""
    if wide := unicode_mark(head):
        mark, charset = wide
        return head[len(mark) :].decode(charset.codec, "ignore").encode()
    return head


def _is_text(head: bytes) -> bool:
    return len(_CONTROL.findall(head)) <= BINARY_SHARE * len(head)
