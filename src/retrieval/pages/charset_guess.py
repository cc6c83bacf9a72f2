"""A guess at the encoding of a page that does not say it, by a sample of the text beyond ASCII.

But: encodings of Latin script are told apart by the language that the page says it is in, not by their letters, which
are too few to judge by.
"""

import re

from src.retrieval.pages.charset_labels import WINDOWS_1252, Charset, by_codec, by_label

LANGUAGE_WITHIN = 4096  # bytes in which a page says its language
SAMPLE_BYTES = 10_000  # that are looked at for a guess
SAMPLE_AROUND = 60  # of them before and behind a character beyond ASCII
TOGETHER_OTHER_SCRIPT = 0.5  # of the bytes beyond ASCII stand side by side in scripts other than Latin

# One of each script: those that share a script are told apart by the page's language.
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
    """The most likely encoding of bytes that are not UTF-8; windows-1252 where nothing speaks for another."""
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
    """Where letters beyond ASCII stand alone between others, they have accents; other scripts write whole words."""
    beyond = len(sample) - len(sample.translate(None, _HIGH))
    together = sum(map(len, _TOGETHER.findall(sample)))
    return together < TOGETHER_OTHER_SCRIPT * beyond


def _sample(data: bytes) -> bytes:
    """The neighbourhoods of the first characters beyond ASCII, cut where no encoding has a character's second byte."""
    pieces: list[bytes] = []
    end = size = 0
    while size < SAMPLE_BYTES and (found := _BEYOND_ASCII.search(data, end)):
        start = max(end, found.start() - SAMPLE_AROUND)
        border = _BORDER.search(data, found.end() + SAMPLE_AROUND)
        end = border.end() if border else len(data)
        pieces.append(data[start:end])
        size += end - start
    return b" ".join(pieces)
