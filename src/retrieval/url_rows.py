"""Reader and writer of URL files, `SPLIT_store/<claim_id>.tsv`: search results of a claim, one row per URL.

Tab-separated, without a header. The columns are a claim index (not used), the type of the query, the URL, and the
query. Each line of the file is one row, even if it contains quotes, since line k of the claim's knowledge store belongs
to row k of this file. A field that is quoted as by CSV writers is unquoted.

Limitations: a quoted field must contain neither a tab nor a line break. `encode_url_rows` writes none.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from src.errors import InputError
from src.records import UrlRow
from src.store import read_bytes

COLUMNS = 4
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f]")  # all but the tab
_NOT_IN_A_FIELD = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_QUOTED = re.compile(r'"((?:[^"]|"")*)"')


def read_url_rows(path: Path) -> list[UrlRow]:
    """Return the rows of a URL file in order, without blank lines; an empty list if the file is empty.

    Raises InputError when the file cannot be read, and for the first line with fewer than four columns.
    """
    claim_id = path.name.removesuffix(".tsv")
    interned: dict[str, str] = {}  # types and queries repeat on many rows
    rows = []
    for line, fields in _lines(read_bytes(path)):
        if len(fields) < COLUMNS:
            columns = f"{len(fields)} column{'s' * (len(fields) != 1)}"
            raise InputError(f"{columns}; claim, type, url, query are needed", path=path, line=line)
        kind, url, query = (_unquoted(field) for field in fields[1:COLUMNS])
        rows.append(UrlRow(claim_id, interned.setdefault(kind, kind), url, interned.setdefault(query, query)))
    return rows


def _lines(data: bytes) -> Iterator[tuple[int, list[str]]]:
    """Yield the 1-based number and the fields, without control characters, of each line that is not blank."""
    for number, raw in enumerate(io.BytesIO(data), start=1):
        line = _CONTROL.sub("", raw.decode("utf-8", "replace"))
        if line.strip(" "):
            yield number, line.split("\t")


def _unquoted(field: str) -> str:
    if field[:1] != '"':
        return field
    quoted = _QUOTED.fullmatch(field)
    return quoted[1].replace('""', '"') if quoted else field


def encode_url_rows(rows: Iterable[UrlRow]) -> bytes:
    """Return the content of a URL file with these rows, as UTF-8. Characters not allowed in a field become spaces."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter="\t", lineterminator="\n")
    writer.writerows([_one_field(field) for field in (row.claim_id, row.type, row.url, row.query)] for row in rows)
    return text.getvalue().encode("utf-8", "replace")


def _one_field(text: str) -> str:
    return _NOT_IN_A_FIELD.sub(" ", text)
