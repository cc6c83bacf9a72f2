"""Reading of all layouts of a claim file, with errors that locate the fault; written records are read again."""

import gzip
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from src.claims import read_claim_texts
from src.errors import InputError
from src.records import Claim, Evidence, Sentence, Verdict
from src.reranking.top_file import read_ranked
from src.store import (
    encode_line,
    encode_lines,
    encode_list,
    located,
    plain,
    read_by_claim,
    read_claims,
    read_records,
    sha256,
    storable,
)

THREE = [Claim("a"), Claim("b", label=Verdict.REFUTED), Claim("Ωmega \u2028 \U0001f600", speaker="s")]
LINES = encode_lines(THREE)
BOM = b"\xef\xbb\xbf"
texts = st.text(st.characters(codec="utf-8"))


def put(folder: Path, data: bytes) -> Path:
    path = folder / "claims.json"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    "data",
    [
        LINES,
        LINES.removesuffix(b"\n"),
        LINES.replace(b"\n", b"\r\n"),
        b"\n \n" + LINES.replace(b"\n", b"\n\n\t\n"),
        BOM + LINES,
        encode_list(THREE),
        msgspec.json.encode(THREE),
        BOM + b"\n\n  " + encode_list(THREE),
        encode_list(THREE).replace(b"\n", b"\r\n"),
        gzip.compress(LINES, mtime=0),
        gzip.compress(BOM + encode_list(THREE), mtime=0),
        gzip.compress(LINES[:40], mtime=0) + gzip.compress(LINES[40:], mtime=0),
    ],
)
def test_every_shape_gives_the_same_records(tmp_path: Path, data: bytes) -> None:
    assert read_records(put(tmp_path, data), Claim) == THREE


@pytest.mark.parametrize("data", [b"", b"\n\r\n ", BOM, b"[]", b" [ ]\n", gzip.compress(b"", mtime=0)])
def test_a_file_may_be_empty(tmp_path: Path, data: bytes) -> None:
    assert read_records(put(tmp_path, data), Claim) == []


PRETTY = encode_list([Claim("a"), Claim("b", label=Verdict.REFUTED), Claim("c", speaker="d")])


@pytest.mark.parametrize(
    ("data", "line", "field"),
    [
        (b'{"claim": "a"}\n\n{"claim": 7}\n', 3, "claim"),
        (b'{"claim": "a"}\r\n{"label": "Refuted"}\r\n', 2, "claim"),
        (b'{"claim": "a", "label": "refuted"}', 1, "label"),
        (b'{"claim": "a"}\n{"claim": "b", "questions": [{"question": "q", "answers": [{}]}]}', 2,
         "questions[0].answers[0].answer"),
        (b'[{"claim": "a"},\n {"claim": null}]', 2, "claim"),
        (PRETTY.replace(b'"Refuted"', b'"Mostly false"'), 5, "label"),
        (PRETTY.replace(b'"claim": "c"', b'"claim_id": 4'), 9, "claim"),
        (b'[\n\n"claim"]', 3, ""),
        (b'{"claim": "a"}\n[1]\n', 2, ""),
        (b'"claim"', 1, ""),
        (b'{"claim": "a", "claim_id": "0"}', 1, "claim_id"),
        (b'{"claim": "a", "claim_id": 1.5}', 1, "claim_id"),
        (b'{"claim": "a", "claim_id": ' + b"9" * 5000 + b"}", 1, "claim_id"),
    ],
)  # fmt: skip
def test_the_error_of_a_wrong_shape_has_line_and_field(tmp_path: Path, data: bytes, line: int, field: str) -> None:
    with pytest.raises(InputError) as caught:
        read_records(put(tmp_path, data), Claim)
    assert (caught.value.line, caught.value.field) == (line, field)
    assert str(caught.value).startswith(
        f"{tmp_path / 'claims.json'}, line {line}{f', field {field}' if field else ''}: "
    )
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"hello", 1),
        (b'{"claim": "a"}\n{"claim": "b"', 2),
        (b'{"claim": "a"} {"claim": "b"}', 1),
        (b'[{"claim": "a"},\n{"claim": "b"}', 2),
        (b'[{"claim": "a"},\n]', 2),
        (b'[{"claim": "a"}]\n[{"claim": "b"}]', 2),
        (b'{"claim": "a"}\n{"claim": "\xff"}', 2),
        (b'{"claim": "a"}\n{"claim": "\xed\xa0\x80"}', 2),
        (rb'{"claim": "\ud800"}', 1),
        (rb'{"claim": "\udc00\ud800"}', 1),
        (b'[{"claim": "a"},\n\n{"claim": "\xff"}]', 3),
        ('{"claim": "a"}'.encode("utf-16"), 1),
        (b"\x00" * 40, 1),
        (b"[" * 200_000, 1),
        (b'{"claim": "a"}\n{"claim": "b", "x": ' + b"[" * 200_000, 2),
    ],
)
def test_the_error_of_invalid_json_has_its_line(tmp_path: Path, data: bytes, line: int) -> None:
    with pytest.raises(InputError) as caught:
        read_records(put(tmp_path, data), Claim)
    assert caught.value.line == line


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-5], lambda data: data[:3], lambda data: data[:12] + b"\xff" * 9]
)
def test_a_damaged_gzip_is_bad_input(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    path = put(tmp_path, damage(gzip.compress(LINES * 9)))
    with pytest.raises(InputError, match=r"claims\.json: cannot be read"):
        read_records(path, Claim)


def test_every_single_damaged_byte_of_a_gzip_is_noticed_or_harmless(tmp_path: Path) -> None:
    whole = gzip.compress(LINES, mtime=0)
    for place in range(len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= 0x55
        try:
            assert read_records(put(tmp_path, bytes(damaged)), Claim) == THREE
        except InputError:
            continue


def test_a_missing_file_and_a_folder_are_bad_input(tmp_path: Path) -> None:
    for path in (tmp_path / "none.json", tmp_path):
        with pytest.raises(InputError, match=str(path)):
            read_records(path, Claim)
    with pytest.raises(InputError, match=r"dev\.json: not found; bring it with: bash script/download\.sh dev claims"):
        read_claims(tmp_path / "dev.json")
    with pytest.raises(
        InputError, match=r"none\.json: not found; give a file of claims, such as data_store/sample/claims"
    ):
        read_claims(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("ids", "expected"),
    [([None, None, None], [0, 1, 2]), ([1000, 1001, 1002], [1000, 1001, 1002]), ([2, None, 0], [2, 1, 0])],
)
def test_a_claim_without_an_id_gets_its_index(tmp_path: Path, ids: Sequence[int | None], expected: list[int]) -> None:
    records = [{"claim": "x"} if claim_id is None else {"claim": "x", "claim_id": claim_id} for claim_id in ids]
    for data in (encode_list(records), encode_lines(records)):
        assert [claim.claim_id for claim in read_claims(put(tmp_path, data))] == expected


@pytest.mark.parametrize("read", [read_claims, partial(read_by_claim, type_=Evidence), read_ranked, read_claim_texts])
def test_a_claim_id_below_zero_is_refused(tmp_path: Path, read: Callable[[Path], object]) -> None:
    path = put(tmp_path, b'{"claim": "a", "claim_id": -1, "evidence": [], "top_1": []}\n')
    with pytest.raises(InputError, match="line 1, field claim_id: must be at least 0"):
        read(path)


def test_a_repeated_claim_id_is_refused_with_both_lines(tmp_path: Path) -> None:
    path = put(tmp_path, b'{"claim": "a", "claim_id": 5}\n\n{"claim": "b", "claim_id": 5}\n')
    with pytest.raises(InputError, match=r"line 3, field claim_id: claim_id 5 is already on line 1"):
        read_claims(path)
    with pytest.raises(InputError, match="line 3, field claim_id"):
        read_by_claim(path, Claim)
    path = put(tmp_path, b'[{"claim": "a", "claim_id": 1},\n{"claim": "takes the place 1"}]')
    with pytest.raises(InputError, match="line 2, field claim_id"):
        read_claims(path)


@given(
    st.lists(st.builds(Claim, texts, st.integers(0, 2**63 - 1), speaker=st.none() | texts, claim_types=st.lists(texts)))
)
@example([Claim('"\\\x00\x1f\x7f\u2028\u2029\ufeff\r\n,]}[{')])
def test_what_is_written_is_read_again(claims: list[Claim]) -> None:
    for data in (encode_lines(claims), encode_list(claims), gzip.compress(encode_lines(claims), 1)):
        assert [claim for _, claim in located(plain(data), Claim, Path("x"))] == claims


def test_the_published_spacing() -> None:
    assert encode_line(Sentence("é \U0001f600/", "u")) == '{"sentence": "é \U0001f600/", "url": "u"}\n'.encode()
    assert encode_list([Sentence("a", "u")]) == b'[\n    {\n        "sentence": "a",\n        "url": "u"\n    }\n]\n'
    assert encode_lines([]) == b""
    assert encode_list([]) == b"[]\n"


def test_storable_escapes_what_json_cannot_hold() -> None:
    assert storable("café \udcff \U0001f600") == "café \\udcff \U0001f600"


def test_the_hash_of_a_file(tmp_path: Path) -> None:
    assert sha256(put(tmp_path, b"two")) == "3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3"


@pytest.mark.parametrize("digits", [20, 25, 4000, 5000])
def test_a_claim_id_of_more_than_64_bits(tmp_path: Path, digits: int) -> None:
    path = tmp_path / "claims.json"
    path.write_text('{"claim": "a"}\n{"claim": "b", "claim_id": ' + "9" * digits + "}\n")
    with pytest.raises(InputError, match=r"claims.json, line 2, field claim_id: "):
        read_claims(path)
