"""Names of character encodings on the web, with the Python codecs that read them as browsers do.

Browsers read a superset of the declared encoding: `iso-8859-1` and `ascii` mean windows-1252, `gb2312` means gb18030,
and so on. Only encodings of this table are used: a page cannot ask for a codec such as `utf-7` or `zlib`.
"""

from typing import NamedTuple


class Charset(NamedTuple):
    """An encoding: `name` in browsers, `codec` in Python."""

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


def by_label(label: str) -> Charset | None:
    """Return the encoding that a page or a server declares; None for a name that browsers do not know."""
    return _BY_LABEL.get(label.strip().strip("\"'").lower())


def by_codec(codec: str) -> Charset:
    """Return the encoding of a Python codec of the table. Raises KeyError for another codec."""
    return _BY_CODEC[codec.replace("-", "_")]
