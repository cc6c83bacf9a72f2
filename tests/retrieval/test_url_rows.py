"""Rows of the published URL files, read and written."""

import csv
import io
import tempfile
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.errors import InputError
from src.records import UrlRow
from src.retrieval.url_rows import encode_url_rows, read_url_rows

PRINTABLE = st.text(st.characters(exclude_categories=("Cc", "Cs"), exclude_characters="\u2028\u2029"))


def _read(folder: Path, data: bytes, name: str = "7.tsv") -> list[UrlRow]:
    path = folder / name
    path.write_bytes(data)
    return read_url_rows(path)


def test_the_sample_reads_as_published(sample: Path) -> None:
    rows = read_url_rows(sample / "urls" / "10.tsv")
    assert rows[0] == UrlRow(
        "10",
        "question",
        "https://gov.kestrane.example/police/figures/port-ambry-2023",
        "How many offences did the police record in Port Ambry in 2020 and in 2023?",
    )
    assert {row.claim_id for row in rows} == {"10"}
    assert encode_url_rows(rows) == (sample / "urls" / "10.tsv").read_bytes()


def test_the_claim_is_the_name_of_the_file_and_further_columns_are_ignored(tmp_path: Path) -> None:
    rows = _read(tmp_path, b"0.0\tclaim\thttp://a.example\tq\tmore\tand more\n", "dev.12.tsv")
    assert rows == [UrlRow("dev.12", "claim", "http://a.example", "q")]


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\xef\xbb\xbf", b"  \r\n\r\n"])
def test_a_search_that_found_nothing(data: bytes, tmp_path: Path) -> None:
    assert _read(tmp_path, data) == []


def test_blank_lines_do_not_count_and_a_row_of_empty_fields_does(tmp_path: Path) -> None:
    rows = _read(tmp_path, b"0\tclaim\ta\tq\n\n\r\n\t\t\t\n0\tclaim\tb\tq\r\n")
    assert [row.url for row in rows] == ["a", "", "b"]
    assert rows[2].query == "q"


def test_a_lone_quote_swallows_no_line(tmp_path: Path) -> None:
    rows = _read(tmp_path, b'0\tclaim\ta\t"No one said that\n0\tclaim\tb\tNever"\n0\tclaim\tc\t"x" or "y"\n')
    assert [row.query for row in rows] == ['"No one said that', 'Never"', '"x" or "y"']


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ('"plain"', "plain"),
        ('"he said ""no"""', 'he said "no"'),
        ('""', ""),
        ('"', '"'),
        ('"""', '"""'),
        ('""""', '"'),
        ('a "b" c', 'a "b" c'),
    ],
)
def test_a_wholly_quoted_field_is_unquoted(field: str, text: str, tmp_path: Path) -> None:
    assert _read(tmp_path, f"0\tclaim\thttp://a.example\t{field}\n".encode())[0].query == text


def test_what_is_no_text_is_dropped_or_replaced(tmp_path: Path) -> None:
    (row,) = _read(tmp_path, b"\xef\xbb\xbf0\tcl\x00aim\thttp://a.example/\x1b[0m\x7f\tcaf\xe9 \xc2\x85\xe2\x80\xa8x\n")
    assert row == UrlRow("7", "claim", "http://a.example/[0m", "caf\ufffd \u2028x")


@pytest.mark.parametrize(
    ("line", "columns"),
    [(b"0\thttp://a.example", "2 columns"), (b"http://a.example", "1 column"), (b"a,b,c,d", "1 column")],
)
def test_missing_columns_are_named_with_their_line(line: bytes, columns: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        _read(tmp_path, b"0\tclaim\ta\tq\n\n" + line + b"\n")
    assert str(raised.value) == f"{tmp_path / '7.tsv'}, line 3: {columns}; claim, type, url, query are needed"


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not found"):
        read_url_rows(tmp_path / "0.tsv")


def test_a_million_rows_in_moderate_memory(tmp_path: Path) -> None:
    line = b"3\tclaim+author\thttps://www.site.example/news/2020/11/03/page-%d.html\tQuery %d about the claim\n"
    data = b"".join(line % (number, number % 30) for number in range(1_000_000))
    path = tmp_path / "3.tsv"
    path.write_bytes(data)
    rows = read_url_rows(path)
    assert len(rows) == 1_000_000
    assert rows[-1].url.endswith("page-999999.html")
    assert len({id(row.query) for row in rows}) == 30  # one string, however many rows it stands on
    del rows
    path.write_bytes(data[: data.index(b"\n", len(data) // 20)])
    tracemalloc.start()
    some = len(read_url_rows(path))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 600 * some  # bytes for each row, the file's own included


@given(st.lists(st.tuples(PRINTABLE, PRINTABLE, PRINTABLE)))
def test_what_is_written_reads_back_by_us_and_by_csv(fields: list[tuple[str, str, str]]) -> None:
    rows = [UrlRow("7", *row) for row in fields]
    data = encode_url_rows(rows)
    assert [tuple(row[1:]) for row in csv.reader(io.StringIO(data.decode(), newline=""), delimiter="\t")] == fields
    assert _from_bytes(data) == rows


@given(st.lists(st.tuples(st.text(), st.text(), st.text())))
def test_whatever_is_written_every_row_is_one_line(fields: list[tuple[str, str, str]]) -> None:
    data = encode_url_rows(UrlRow("7", *row) for row in fields)
    assert data.count(b"\n") == len(fields)
    assert len(_from_bytes(data)) == len(fields)
    assert encode_url_rows(_from_bytes(data)) == data


@given(st.binary())
def test_no_bytes_are_too_strange(data: bytes) -> None:
    message, rows = "", []
    try:
        rows = _from_bytes(b"0\tclaim\ta\tq\n" + data)
    except InputError as error:
        message = str(error)
    assert rows[:1] == [UrlRow("7", "claim", "a", "q")] or "claim, type, url, query are needed" in message


def _from_bytes(data: bytes) -> list[UrlRow]:
    with tempfile.TemporaryDirectory() as folder:
        return _read(Path(folder), data)
