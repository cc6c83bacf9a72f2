"""Decoding of a page's bytes to text: detection of the encoding.

The first of these that applies is used:
1. a byte-order mark;
2. UTF-16, if every other byte is often zero;
3. UTF-8, if the bytes are valid UTF-8, whatever was declared: text in another encoding is hardly ever valid UTF-8;
4. the encoding declared in the HTTP header, then in the page itself, if the bytes are consistent with it;
5. a guess from a sample around non-ASCII characters;
6. windows-1252.

Undecodable bytes become U+FFFD and are never an error. As in browsers, a declared encoding means its superset:
`iso-8859-1` and `ascii` mean windows-1252, `gb2312` means gb18030. Only encodings of the table are used; a page cannot
select a codec such as `utf-7` or `zlib`.

Limitations: a wrong declaration is believed, as in browsers, if the bytes are also valid in the declared encoding.
Among encodings of Latin script, the guess follows the language that the page declares, since such texts have too few
non-ASCII letters for a guess.
"""

import codecs
import re
from typing import NamedTuple


class Charset(NamedTuple):
    """An encoding: its `name` in browsers, and its Python `codec`."""

    name: str
    codec: str


UTF8 = Charset("utf-8", "utf-8")
WINDOWS_1252 = Charset("windows-1252", "cp1252")
UTF16_LE = Charset("utf-16le", "utf-16-le")
UTF16_BE = Charset("utf-16be", "utf-16-be")
ISO_2022_JP = Charset("iso-2022-jp", "iso2022_jp")
UTF32_LE = Charset("utf-32le", "utf-32-le")

_TABLE: dict[Charset, str] = {
    UTF8: "utf-8 utf8 unicode-1-1-utf-8 x-unicode20utf8 utf-8-sig",
    WINDOWS_1252: "windows-1252 cp1252 x-cp1252 iso-8859-1 iso8859-1 iso_8859-1 iso88591 latin1 latin-1 l1 ascii "
    "us-ascii ansi ansi_x3.4-1968 cp819 ibm819",
    Charset("windows-1250", "cp1250"): "windows-1250 cp1250 x-cp1250",
    Charset("windows-1251", "cp1251"): "windows-1251 cp1251 x-cp1251 win-1251",
    Charset("windows-1253", "cp1253"): "windows-1253 cp1253 x-cp1253",
    Charset("windows-1254", "cp1254"): "windows-1254 cp1254 x-cp1254 iso-8859-9 iso8859-9 latin5",
    Charset("windows-1255", "cp1255"): "windows-1255 cp1255 x-cp1255",
    Charset("windows-1256", "cp1256"): "windows-1256 cp1256 x-cp1256",
    Charset("windows-1257", "cp1257"): "windows-1257 cp1257 x-cp1257",
    Charset("windows-1258", "cp1258"): "windows-1258 cp1258 x-cp1258",
    Charset("windows-874", "cp874"): "windows-874 dos-874 tis-620 iso-8859-11",
    Charset("iso-8859-2", "iso8859-2"): "iso-8859-2 iso8859-2 latin2 l2",
    Charset("iso-8859-3", "iso8859-3"): "iso-8859-3 latin3",
    Charset("iso-8859-4", "iso8859-4"): "iso-8859-4 latin4",
    Charset("iso-8859-5", "iso8859-5"): "iso-8859-5 cyrillic",
    Charset("iso-8859-6", "iso8859-6"): "iso-8859-6 arabic",
    Charset("iso-8859-7", "iso8859-7"): "iso-8859-7 iso8859-7 greek",
    Charset("iso-8859-8", "iso8859-8"): "iso-8859-8 iso-8859-8-i hebrew",
    Charset("iso-8859-10", "iso8859-10"): "iso-8859-10 latin6",
    Charset("iso-8859-13", "iso8859-13"): "iso-8859-13",
    Charset("iso-8859-14", "iso8859-14"): "iso-8859-14",
    Charset("iso-8859-15", "iso8859-15"): "iso-8859-15 iso8859-15 latin9 latin-9 l9",
    Charset("iso-8859-16", "iso8859-16"): "iso-8859-16",
    Charset("koi8-r", "koi8-r"): "koi8-r koi8 koi",
    Charset("koi8-u", "koi8-u"): "koi8-u koi8-ru",
    Charset("ibm866", "cp866"): "ibm866 cp866 866",
    Charset("macintosh", "mac-roman"): "macintosh mac x-mac-roman",
    Charset("x-mac-cyrillic", "mac-cyrillic"): "x-mac-cyrillic x-mac-ukrainian",
    Charset("gb18030", "gb18030"): "gb18030 gbk gb2312 gb_2312 gb_2312-80 x-gbk chinese",
    Charset("big5", "big5hkscs"): "big5 big5-hkscs cn-big5 x-x-big5",
    Charset("shift_jis", "cp932"): "shift_jis shift-jis sjis x-sjis ms_kanji ms932 windows-31j",
    Charset("euc-jp", "euc_jp"): "euc-jp x-euc-jp",
    ISO_2022_JP: "iso-2022-jp",
    Charset("euc-kr", "cp949"): "euc-kr ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 korean windows-949 uhc",
    UTF16_LE: "utf-16 utf-16le unicode ucs-2 iso-10646-ucs-2",
    UTF16_BE: "utf-16be unicodefffe",
}
_BY_LABEL: dict[str, Charset] = {label: charset for charset, labels in _TABLE.items() for label in labels.split()}
_BY_CODEC: dict[str, Charset] = {charset.codec.replace("-", "_"): charset for charset in _TABLE}

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

LANGUAGE_WITHIN = 4096  # bytes in which a page declares its language
SAMPLE_BYTES = 10_000  # bytes used for a guess
SAMPLE_AROUND = 60  # bytes of the sample before and after a character beyond ASCII
TOGETHER_OTHER_SCRIPT = 0.5  # share of adjacent bytes among those beyond ASCII, from which the script is not Latin

# One for each script: encodings of one script are distinguished by the page's language.
GUESSES = [
    *("cp1252", "cp1251", "koi8_r", "cp1253", "cp1255", "cp1256", "cp874"),
    *("cp932", "euc_jp", "gb18030", "big5", "cp949"),
]
BY_LANGUAGE = {
    **dict.fromkeys(["bs", "cs", "hr", "hu", "pl", "ro", "sk", "sl", "sq"], "windows-1250"),
    **dict.fromkeys(["az", "tr"], "windows-1254"),
    **dict.fromkeys(["et", "lt", "lv"], "windows-1257"),
    **dict.fromkeys(["vi"], "windows-1258"),
}

_LANGUAGE = re.compile(rb"<html[^>]*?\blang\s*=\s*[\"']?([a-z]{2})", re.IGNORECASE)
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")
_TOGETHER = re.compile(rb"[\x80-\xff]{2,}")
_BORDER = re.compile(rb"[\x00-\x2f:-?]")


def decode(data: bytes, content_type: str) -> tuple[str, str]:
    """Return the text of a page, without a byte-order mark, and the name of its encoding.

    `content_type` is the server's header.
    """
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
    guess = _guess(data)
    return data.decode(guess.codec, "replace"), guess.name


def unicode_mark(data: bytes) -> tuple[bytes, Charset] | None:
    """Return the byte-order mark at the start of the bytes, and the encoding that it means.

    The mark is b"" for UTF-16 without one. Return None for any other bytes.
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
    """Return the encodings that the HTTP header and the page declare, in this order, without unknown names."""
    head = _COMMENT.sub(b"", data[:DECLARED_WITHIN])
    header = _HEADER.search(content_type)
    labels = [header[1]] if header else []
    labels += [match[1].decode("ascii") for pattern in (_XML, _META) if (match := pattern.search(head))]
    return [charset for label in labels if (charset := by_label(label))]


def _borne_out(data: bytes, charset: Charset) -> str | None:
    """Return the text decoded with a declared encoding, or None if too many bytes are undefined in the encoding."""
    text = data.decode(charset.codec, "replace")
    beyond = len(data) - len(data.translate(None, _HIGH))
    return text if text.count("\ufffd") <= max(1, BROKEN_DECLARED * beyond) else None


def _guess(data: bytes) -> Charset:
    """Return the most likely encoding of bytes that are not UTF-8; windows-1252 by default."""
    from charset_normalizer import from_bytes

    language = _LANGUAGE.search(data[:LANGUAGE_WITHIN])
    if language and (label := BY_LANGUAGE.get(language[1].decode("ascii").lower())):
        return by_label(label) or WINDOWS_1252
    sample = _sample(data)
    if _is_latin_script(sample):
        return WINDOWS_1252
    best = from_bytes(sample, cp_isolation=GUESSES).best()
    return by_codec("big5hkscs" if best.encoding == "big5" else best.encoding) if best else WINDOWS_1252


def _is_latin_script(sample: bytes) -> bool:
    """Return True if most non-ASCII bytes occur alone, as accented letters do.

    In other scripts, whole words consist of non-ASCII bytes.
    """
    beyond = len(sample) - len(sample.translate(None, _HIGH))
    together = sum(map(len, _TOGETHER.findall(sample)))
    return together < TOGETHER_OTHER_SCRIPT * beyond


def _sample(data: bytes) -> bytes:
    """Return the text around the first non-ASCII bytes, as a sample for a guess.

    Each part of the sample ends with a byte that is no second byte of a character in any encoding.
    """
    pieces: list[bytes] = []
    end = size = 0
    while size < SAMPLE_BYTES and (match := _BEYOND_ASCII.search(data, end)):
        start = max(end, match.start() - SAMPLE_AROUND)
        border = _BORDER.search(data, match.end() + SAMPLE_AROUND)
        end = border.end() if border else len(data)
        pieces.append(data[start:end])
        size += end - start
    return b" ".join(pieces)


def by_label(label: str) -> Charset | None:
    """Return the encoding for a name declared by a page or a server; None for a name that is not in the table."""
    return _BY_LABEL.get(label.strip().strip("\"'").lower())


def by_codec(codec: str) -> Charset:
    """Return the encoding in the table that has a Python codec. Raises KeyError if there is none."""
    return _BY_CODEC[codec.replace("-", "_")]
