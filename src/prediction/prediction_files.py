"""Reader of prediction files in all known layouts, and their join with the gold claims.

| layout | found by | claim | verdict | evidence |
|---|---|---|---|---|
| AVeriTeC baseline, submission | JSON | claim_id | pred_label | [{question, answer}] |
| EvalAI prototype | JSON with `label`, without `pred_label` | id | label | ["question answer"] |
| FEVER-8 | CSV | id | label | `question TAB TAB NL answer TAB TAB NL NL`, repeated |

JSON is a list or lines; every layout may be gzipped. The layout is recognized by content, never by the file's name.

Limitations: other fields (url, probabilities) are not scored; the layout of 2023 (`questions[].answers[]`) is not
supported.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from src.errors import InputError
from src.evaluation.averitec import Gold, Guess
from src.records import Claim, ClaimId, QAPair, Verdict
from src.store import located, read_bytes

SHOWN = 10  # most claim_ids that an error lists
CSV_COLUMNS = ("id", "claim", "evi", "label", "split")  # of FEVER-8
END_OF_PART, END_OF_PAIR = "\t\t\n", "\t\t\n\n"
_NEEDED_COLUMNS = {"id", "evi", "label"}


class _Pair(msgspec.Struct):
    question: str
    answer: str
    url: object = ""


class _Published(msgspec.Struct):
    claim_id: ClaimId
    pred_label: Verdict
    evidence: list[_Pair]
    claim: str = ""


class _EvalAI(msgspec.Struct):
    id: ClaimId
    label: Verdict
    evidence: list[str]


def read_guesses(path: Path) -> list[Guess]:
    """Return the predictions of a file, in its order.

    Raises InputError with file, line and field for a missing or empty file, an unknown verdict, or any other layout.
    """
    data = read_bytes(path)
    if not data.strip():
        raise InputError("the file is empty", path=path)
    if data.lstrip()[:1] not in (b"[", b"{"):
        return _from_csv(data, path)
    if not _is_published(data):
        if b'"questions"' in data:
            raise InputError("is a file of claims; predictions have claim_id, pred_label and evidence", path=path)
        return [Guess(row.id, row.label, row.evidence) for _, row in located(data, _EvalAI, path)]
    return [
        Guess(row.claim_id, row.pred_label, [QAPair(pair.question, pair.answer) for pair in row.evidence], row.claim)
        for _, row in located(data, _Published, path)
    ]


def url_lists(path: Path) -> list[tuple[int, int]]:
    """Return (claim_id, line) for each claim whose evidence has a list as `url`.

    Older versions wrote such lists for steps that rest on several pages; now each page has its own pair.
    Raises InputError if the file is invalid.
    """
    data = read_bytes(path)
    if not re.search(rb'"url":\s*\[', data) or not _is_published(data):
        return []
    rows = located(data, _Published, path)
    return [(row.claim_id, line) for line, row in rows if any(isinstance(one.url, list) for one in row.evidence)]


def _is_published(data: bytes) -> bool:
    """Return True if the JSON has the layout of the AVeriTeC baseline, False if it has that of the EvalAI prototype."""
    # Inside a JSON string the second quotation mark would be escaped; these can only be names of fields.
    return b'"label"' not in data or b'"pred_label"' in data


def join(
    claims: Sequence[Claim],
    guesses: Sequence[Guess],
    path: Path,
    *,
    known: Iterable[int] = (),
    allow_missing: bool = False,
) -> list[Guess]:
    """Return one prediction for each claim, in the order of the claims.

    `known`: claim_ids of other claims, whose predictions are left out without an error.
    `allow_missing`: if True, a missing prediction is replaced by one without verdict and evidence; by default it is an
        error.

    Raises InputError, which lists the claims that are duplicate, unknown or missing, or have another text.
    """
    by_id = {guess.claim_id: guess for guess in guesses}
    wanted = [claim.claim_id for claim in claims]
    counts = Counter(guess.claim_id for guess in guesses)
    refuse_claims("predicted more than once", [claim_id for claim_id, count in counts.items() if count > 1], path)
    refuse_claims("not in the label file", sorted(by_id.keys() - {*wanted, *known}), path)
    if not allow_missing:
        refuse_claims(
            "not predicted (--allow_missing scores them as wrong)", [i for i in wanted if i not in by_id], path
        )
    texts = {claim.claim_id: claim.claim for claim in claims}
    others = [i for i in wanted if i in by_id and _is_other_text(by_id[i].claim, texts[i])]
    refuse_claims("with another text than in the label file; is it the right one?", others, path, "claim")
    return [by_id.get(claim_id, Guess(claim_id, None, [])) for claim_id in wanted]


def _is_other_text(ours: str, theirs: str) -> bool:
    return bool(ours) and ours.split() != theirs.split()


def labelled(claims: Sequence[Claim], path: Path) -> list[Gold]:
    """Return the claims with their labels, as the scorer reads them.

    Raises InputError if claims have no label, as in the test split.
    """
    unlabelled = [claim.claim_id for claim in claims if claim.label is None]
    refuse_claims("without label (is this the test split?)", unlabelled, path, "label")
    return [Gold(claim, claim.label) for claim in claims if claim.label is not None]


def refuse_claims(what: str, claim_ids: Sequence[int], path: Path, field: str = "claim_id") -> None:
    """Raise InputError if any claim has the fault that `what` describes; `claim_ids` are those that have it.

    The message lists the first SHOWN of them.
    """
    if claim_ids:
        shown = ", ".join(str(claim_id) for claim_id in claim_ids[:SHOWN])
        more = ", …" if len(claim_ids) > SHOWN else ""
        raise InputError(f"{len(claim_ids)} claim(s) {what}: {shown}{more}", path=path, field=field)


def _from_csv(data: bytes, path: Path) -> list[Guess]:
    csv.field_size_limit(max(csv.field_size_limit(), len(data)))
    try:
        reader = csv.DictReader(io.StringIO(data.decode(), newline=""), strict=True)
        missing = _NEEDED_COLUMNS - set(reader.fieldnames or [])
        if missing:
            message = f"neither JSON nor a CSV table with the columns id, evi, label (no {', '.join(sorted(missing))})"
            raise InputError(message, path=path, line=1)
        guesses, line = [], reader.line_num + 1
        for row in reader:
            guesses.append(_from_row(row, path, line))
            line = reader.line_num + 1
    except (csv.Error, UnicodeDecodeError) as error:
        raise InputError(f"not a CSV table: {error}", path=path) from None
    return guesses


def _from_row(row: Mapping[str, str | None], path: Path, line: int) -> Guess:
    number, label = row["id"] or "", row["label"] or ""
    if not (number.isascii() and number.strip().isdecimal()):
        raise InputError(f"not a number: {number!r}", path=path, line=line, field="id")
    if label not in list(Verdict):
        raise InputError(f"unknown verdict {label!r}", path=path, line=line, field="label")
    try:
        return Guess(int(number), Verdict(label), _pairs(row["evi"] or ""), row.get("claim") or "")
    except ValueError as error:
        raise InputError(str(error), path=path, line=line, field="evi") from None


def _pairs(text: str) -> list[QAPair]:
    """Return the question-answer pairs of a FEVER-8 `evi` cell.

    Raises ValueError for a question without an answer.
    """
    pairs = []
    for piece in text.split(END_OF_PAIR):
        if piece.strip():
            question, separator, answer = piece.partition(END_OF_PART)
            if not separator:
                raise ValueError(f"a question without an answer: {piece[:40]!r}")
            pairs.append(QAPair(question=question, answer=answer))
    return pairs
