"""Reader of evidence that a system retrieved for training claims, with the noise of real use: a CSV, gzipped or not.

The columns are `id` (the claim's index in the training file), `claim` and `evi`; others are ignored. `evi` has a
question, an answer and an empty line for each pair. Question and answer end with two tabs. An example is
`peers/eibakke_baseline_train1000.csv.gz`.

Limitations: the file has neither URLs nor the quality of the retrieved sentences.
"""

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from src.errors import InputError
from src.records import Claim
from src.store import read_bytes
from src.text import same

COLUMNS = ("id", "claim", "evi")
LONGEST_FIELD = 10_000_000  # characters

Pairs = list[tuple[str, str]]


def read_retrieved(path: Path, claims: Sequence[Claim]) -> dict[int, Pairs]:
    """Read a CSV of retrieved evidence: by claim_id, each claim's pairs of question and sentence, in order.

    Raises InputError (file, line, field) when the file is invalid or has other claims.
    """
    try:
        text = read_bytes(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(str(error), path=path) from None
    csv.field_size_limit(LONGEST_FIELD)
    rows = csv.DictReader(io.StringIO(text, newline=""), restval="")
    try:
        if missing := [name for name in COLUMNS if name not in (rows.fieldnames or ())]:
            raise InputError("no such column", path=path, line=1, field=missing[0])
        by_claim: dict[int, Pairs] = {}
        for row in rows:
            claim = _claim(row["id"], row["claim"], claims, path, rows.line_num)
            if claim.claim_id in by_claim:
                raise InputError(f"claim {row['id']} is in the file twice", path=path, line=rows.line_num, field="id")
            by_claim[claim.claim_id] = _pairs(row["evi"], path, rows.line_num)
    except csv.Error as error:
        raise InputError(str(error), path=path, line=rows.line_num) from None
    return by_claim


def _claim(number: str, claim: str, claims: Sequence[Claim], path: Path, line: int) -> Claim:
    place = int(number) if number.isascii() and number.isdecimal() else -1
    if not 0 <= place < len(claims):
        raise InputError(
            f"{number!r} is not the index of one of the {len(claims)} claims", path=path, line=line, field="id"
        )
    if same(claims[place].claim) != same(claim):
        raise InputError(f"is not claim {place} of the training file", path=path, line=line, field="claim")
    return claims[place]


def _pairs(text: str, path: Path, line: int) -> Pairs:
    pairs = []
    for piece in text.split("\t\t\n\n"):
        if piece.strip():
            question, middle, answer = piece.partition("\t\t\n")
            if not middle:
                raise InputError("a question without its answer", path=path, line=line, field="evi")
            pairs.append((question.strip(), answer.strip()))
    return pairs
