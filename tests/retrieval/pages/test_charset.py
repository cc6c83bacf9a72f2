"""The text of a page, whatever its bytes were said to be."""

# ruff: noqa: RUF001 - texts in many scripts

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.retrieval.pages.charset import by_codec, by_label, decode

FRENCH = "<p>Les députés de l’opposition ont critiqué le projet, qu’ils jugent inachevé. À Paris, on a défilé.</p>"
GERMAN = "<p>Für viele Bürger könnte das höhere Gebühren bedeuten, sagte der Sprecher der Behörde.</p>"
POLISH = "<p>Według opozycji może to oznaczać wyższe opłaty dla obywateli, powiedział rzecznik urzędu w Łodzi.</p>"
RUSSIAN = "<p>Правительство вчера объявило об изменении закона, заявил представитель ведомства в Москве.</p>"
JAPANESE = "<p>政府は昨日、法律の改正を発表した。野党によると、これは市民にとって高い料金を意味する。</p>"
CHINESE = "<p>政府昨天宣布修改法律。反对党表示，这可能意味着公民要支付更高的费用，北京当局的发言人说。</p>"
KOREAN = "<p>정부는 어제 법률 개정을 발표했다. 야당에 따르면 이는 시민들에게 더 높은 요금을 의미할 수 있다.</p>"
GREEK = "<p>Η κυβέρνηση ανακοίνωσε χθες αλλαγή του νόμου. Σύμφωνα με την αντιπολίτευση τα τέλη ανεβαίνουν.</p>"
ARABIC = "<p>أعلنت الحكومة أمس عن تعديل القانون. ووفقا للمعارضة فإن ذلك قد يعني رسوما أعلى للمواطنين.</p>"


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-8"])
@pytest.mark.parametrize("header", ["", "text/html; charset=iso-8859-1", "text/html; charset=utf-8"])
def test_unicode_is_known_whatever_was_declared(codec: str, header: str) -> None:
    page = f"<html><head><meta charset='windows-1251'></head><body>{GERMAN}{JAPANESE[:8]}</body></html>"
    text, name = decode(page.encode(codec), header)
    assert text == page
    assert name in ("utf-8", "utf-16le", "utf-16be")


def test_a_mark_of_utf_16_in_either_order() -> None:
    assert decode(codecs.BOM_UTF16_BE + RUSSIAN.encode("utf-16-be"), "") == (RUSSIAN, "utf-16be")
    assert decode(codecs.BOM_UTF16_LE + RUSSIAN.encode("utf-16-le"), "") == (RUSSIAN, "utf-16le")


@pytest.mark.parametrize(
    ("text", "codec", "label", "name"),
    [
        (FRENCH, "cp1252", "iso-8859-1", "windows-1252"),
        (FRENCH, "cp1252", "US-ASCII", "windows-1252"),
        (POLISH, "iso8859-2", "ISO-8859-2", "iso-8859-2"),
        (RUSSIAN, "koi8-r", "koi8-r", "koi8-r"),
        (JAPANESE, "cp932", "Shift_JIS", "shift_jis"),
        (JAPANESE, "iso2022_jp", "iso-2022-jp", "iso-2022-jp"),
        (CHINESE, "gbk", "gb2312", "gb18030"),
        (KOREAN, "cp949", "ks_c_5601-1987", "euc-kr"),
    ],
)
def test_what_header_or_page_declare_is_followed(text: str, codec: str, label: str, name: str) -> None:
    assert decode(text.encode(codec), f'text/html; charset="{label}"') == (text, name)
    for declaration in (
        f"<meta charset={label}>",
        f'<META http-equiv="Content-Type" content="text/html; charset={label}">',
        f"<!-- <meta charset=big5> --><meta charset='{label}'>",
    ):
        assert decode((declaration + text).encode(codec), "text/html") == (declaration + text, name)
    page = f'<?xml version="1.0" encoding="{label}"?>{text}'
    assert decode(page.encode(codec), "") == (page, name)


def test_the_header_comes_before_the_page() -> None:
    page = f"<meta charset=windows-1253>{RUSSIAN}"
    assert decode(page.encode("cp1251"), "text/html; charset=windows-1251") == (page, "windows-1251")


def test_a_header_of_utf_8_over_other_bytes_is_not_believed() -> None:
    assert decode(FRENCH.encode("cp1252"), "text/html; charset=utf-8") == (FRENCH, "windows-1252")
    page = f"<meta charset=windows-1251>{RUSSIAN}"
    assert decode(page.encode("cp1251"), "text/html; charset=utf-8") == (page, "windows-1251")


def test_a_declaration_that_the_bytes_contradict_is_not_believed() -> None:
    text, name = decode(RUSSIAN.encode("koi8-r"), "text/html; charset=euc-jp")
    assert (text, name) == (RUSSIAN, "koi8-r")


@pytest.mark.parametrize("label", ["utf-7", "zlib", "rot13", "x-user-defined", "no such thing", "\x00", ""])
def test_unknown_names_are_passed_over(label: str) -> None:
    assert decode(FRENCH.encode("cp1252"), f"text/html; charset={label}") == (FRENCH, "windows-1252")


@pytest.mark.parametrize(
    ("text", "codec", "name"),
    [
        (FRENCH, "cp1252", "windows-1252"),
        (GERMAN, "cp1252", "windows-1252"),
        (RUSSIAN, "cp1251", "windows-1251"),
        (RUSSIAN, "koi8-r", "koi8-r"),
        (GREEK, "cp1253", "windows-1253"),
        (ARABIC, "cp1256", "windows-1256"),
        (JAPANESE, "cp932", "shift_jis"),
        (JAPANESE, "euc_jp", "euc-jp"),
        (CHINESE, "gb18030", "gb18030"),
        (KOREAN, "cp949", "euc-kr"),
    ],
)
def test_what_is_not_declared_is_guessed(text: str, codec: str, name: str) -> None:
    assert decode(text.encode(codec), "") == (text, name)
    far_down = "<p>Plain English comes first.</p>" * 200 + text
    assert decode(far_down.encode(codec), "") == (far_down, name)


def test_letters_with_accents_are_guessed_by_the_language_of_the_page() -> None:
    polish, turkish = (
        f"<html lang='pl'>{POLISH}",
        '<html dir="ltr" lang="tr-TR"><p>Doğru değil, dedi sözcü İzmir’de.</p>',
    )
    assert decode(polish.encode("cp1250"), "") == (polish, "windows-1250")
    assert decode(turkish.encode("cp1254"), "") == (turkish, "windows-1254")
    assert decode(POLISH.encode("cp1250"), "")[1] == "windows-1252"


def test_broken_characters_are_replaced_and_the_rest_is_read() -> None:
    broken = JAPANESE.encode().replace("法".encode(), b"\xe6\xb3", 1)
    assert decode(broken, "text/html") == (JAPANESE.replace("法", "\ufffd", 1), "utf-8")
    cut_off = (GERMAN * 3).encode()[: GERMAN.encode().index("ö".encode()) + 1]
    assert decode(cut_off, "text/html; charset=utf-8")[1] == "utf-8"
    assert decode(CHINESE.encode("gb18030")[:-5], "text/html; charset=gbk") == (CHINESE[:-5] + "\ufffd", "gb18030")


def test_a_page_in_ascii_is_utf_8() -> None:
    assert decode(b"plain", "text/html; charset=iso-8859-1") == ("plain", "utf-8")


def test_every_label_leads_to_a_codec_and_back() -> None:
    for label in ("utf8", "latin1", "gbk", "sjis", "big5", "windows-31j", "tis-620", "koi8-u", "macintosh"):
        charset = by_label(f" '{label.upper()}' ")
        assert charset
        assert by_codec(charset.codec) == charset
        assert codecs.lookup(charset.codec)


@given(data=st.binary(max_size=400), header=st.text(max_size=40))
def test_any_bytes_have_a_text(data: bytes, header: str) -> None:
    text, name = decode(data, header)
    assert name
    assert text or len(data) < 4


@given(text=st.text(st.characters(min_codepoint=1, exclude_categories=["Cs"]), min_size=1))
def test_what_is_utf_8_is_read_as_utf_8(text: str) -> None:
    assert decode(text.encode(), "text/html; charset=iso-8859-1") == (text.removeprefix("\ufeff"), "utf-8")
