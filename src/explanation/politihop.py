"""Reader of PolitiHop: claims of PolitiFact with their rulings, as published (tab-separated, gzipped or not).

The ruling is a JSON list of sentences. Only the claim, its label and its ruling are read; `copied_explanations` also
reads the sentences that annotators chose.
Source: Ostrowski et al., "Multi-Hop Fact Checking of Political Claims", IJCAI 2021.
"""

import csv
import io
from pathlib import Path

import msgspec

from src.errors import InputError
from src.explanation.records import ExplainedClaim
from src.json_decoding import decode
from src.store import plain, read_bytes

PUBLISHED = 445  # claims: all of test, every third of valid, every third of train (MADR's notebook)
LABELS = ("false", "half-true", "true")
_COLUMNS = ("statement", "ruling", "annotated_label")
_CHOSEN = "annotated_evidence"


def read_politihop(path: Path) -> list[ExplainedClaim]:
    """Return the claims in file order. The claim_id is the index (from 0) in the file; the source has one sentence of
    the ruling per line.

    Raises InputError with file, line and field if the file is invalid.
    """
    return [claim for claim, _, _ in _rows(path)]


def copied_explanations(path: Path) -> list[ExplainedClaim]:
    """Return the claims, each with the sentences that annotators chose from its ruling as explanation.

    The sentences are copied, and therefore faithful to the source.
    Raises InputError with file, line and field if the file is invalid.
    """
    return [_copied(claim, row, path, line) for claim, row, line in _rows(path, _CHOSEN)]


def published_sample(test: Path) -> list[ExplainedClaim]:
    """Return the 445 claims of Kim et al. 2024 ("Can LLMs Produce Faithful Explanations For Fact-checking?").

    `test` is politihop_test.tsv or its gzip; the files of the other two splits must be in the same folder.
    Raises InputError if a file is invalid or the files do not give 445 claims.
    """
    if "test" not in test.name:
        raise InputError("the published sample begins with politihop_test.tsv; name that file", path=test)
    valid, train = (read_politihop(test.with_name(test.name.replace("test", name))) for name in ("valid", "train"))
    chosen = [*read_politihop(test), *valid[::3], *train[::3]]
    if len(chosen) != PUBLISHED:
        raise InputError(f"the published sample has {PUBLISHED} claims, these files give {len(chosen)}", path=test)
    return [msgspec.structs.replace(claim, claim_id=place) for place, claim in enumerate(chosen)]


def _rows(path: Path, *more: str) -> list[tuple[ExplainedClaim, dict[str, str], int]]:
    """Return each claim with its row (column -> text) and its line number; `more` names further required columns."""
    text = plain(read_bytes(path)).decode("utf-8", "replace")
    csv.field_size_limit(max(csv.field_size_limit(), len(text)))  # applies to the whole process; rulings may be long
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter="\t")
    if missing := [name for name in (*_COLUMNS, *more) if name not in (reader.fieldnames or ())]:
        raise InputError("missing", path=path, line=1, field=missing[0])
    return [(_claim(place, row, path, reader.line_num), row, reader.line_num) for place, row in enumerate(reader)]


def _copied(claim: ExplainedClaim, row: dict[str, str], path: Path, line: int) -> ExplainedClaim:
    """Return the claim with the sentences of its ruling that annotators chose, joined, as explanation; None if they
    chose none.

    The column `annotated_evidence` of the row has their indexes (from 0) in the ruling, as text.
    Raises InputError if a column of the row is invalid.
    """
    try:
        chains = decode(row[_CHOSEN] or "{}", dict[str, list[str]])
        ruling = decode(row["ruling"], list[str])
        chosen = sorted(
            {int(one) for chain in chains.values() for each in chain for one in each.split(",") if one.strip()}
        )
    except (msgspec.DecodeError, ValueError) as error:
        raise InputError(str(error), path=path, line=line, field=_CHOSEN) from None
    copied = " ".join(" ".join(ruling[place].split()) for place in chosen if place < len(ruling))
    return msgspec.structs.replace(claim, explanation=copied or None)


def _claim(place: int, row: dict[str, str], path: Path, line: int) -> ExplainedClaim:
    statement = (row["statement"] or "").strip()  # None if the row is too short
    if not statement:
        raise InputError("is empty", path=path, line=line, field="statement")
    label = row["annotated_label"]
    if label not in LABELS:
        message = f"{label!r} is none of {', '.join(LABELS)}"
        raise InputError(message, path=path, line=line, field="annotated_label")
    try:
        ruling = decode(row["ruling"] or "", list[str])
    except msgspec.DecodeError as error:
        raise InputError(str(error), path=path, line=line, field="ruling") from None
    source = "\n".join(" ".join(sentence.split()) for sentence in ruling if sentence.strip())
    return ExplainedClaim(place, statement, label, source=source)
