"""Guess of the encoding of a page that declares none, from a sample of its text beyond ASCII.

Limitations: encodings of Latin script are chosen by the language that the page declares. Their letters beyond ASCII are
too few to judge by.
"""

import re

from src.retrieval.pages.charset_labels import WINDOWS_1252, Charset, by_codec, by_label

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
_HIGH = bytes(range(128, 256))


def guess_charset(data: bytes) -> Charset:
    """Return the most likely encoding of bytes that are not UTF-8; windows-1252 where there is no sign of another."""
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
    """Return True if bytes beyond ASCII mostly occur alone, as accented letters do; other scripts write whole words
    with them.
    """
    beyond = len(sample) - len(sample.translate(None, _HIGH))
    together = sum(map(len, _TOGETHER.findall(sample)))
    return together < TOGETHER_OTHER_SCRIPT * beyond


def _sample(data: bytes) -> bytes:
    """Return the surroundings of the first characters beyond ASCII, cut at bytes that are no second byte in any
    encoding.
    """
    pieces: list[bytes] = []
    end = size = 0
    while size < SAMPLE_BYTES and (found := _BEYOND_ASCII.search(data, end)):
        start = max(end, found.start() - SAMPLE_AROUND)
        border = _BORDER.search(data, found.end() + SAMPLE_AROUND)
        end = border.end() if border else len(data)
        pieces.append(data[start:end])
        size += end - start
    return b" ".join(pieces)
