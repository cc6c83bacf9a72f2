"""Validation of a submission file: reports all problems, one per line, as errors or warnings.

With an error the file is invalid. A warning is allowed by the format, but lowers the score or is probably a mistake.

Limitations: does not judge the quality of the predictions, and ignores fields that the scorers do not read.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from src.errors import InputError
from src.json_decoding import decode
from src.records import VERDICTS
from src.runner.console import how_many
from src.store import located

SHOWN = 10  # most missing claims that are named
MOST_EVIDENCE = 10  # the scorers read no more
ONE_PAGE = "a pair has one page, give each page a pair of its own"
Fields = Mapping[str, object]


class Problem(msgspec.Struct, frozen=True):
    """A problem in a submission file.

    `line`: line where the prediction begins (from 1); 0 for a problem of the whole file.
    `claim_id`: claim_id of the prediction; None if unknown.
    `field`: name of the wrong field; empty if the problem is not in a field.
    `message`: what is wrong.
    `error`: True for an error, False for a warning.
    """

    line: int
    claim_id: int | None
    field: str
    message: str
    error: bool = True

    def __str__(self) -> str:
        line = f"line {self.line}" if self.line else ""
        claim = f"claim {self.claim_id}" if self.claim_id is not None else ""
        place = ", ".join(filter(None, (line, claim, self.field)))
        return ": ".join(filter(None, ("error" if self.error else "warning", place, self.message)))


def read_items(data: bytes, path: Path) -> list[tuple[int, bytes]]:
    """Return (line, JSON text) of every prediction in a JSON list or in JSON lines.

    Raises InputError if the file has no prediction.
    """
    if data.lstrip()[:1] == b"[":
        items = [(line, bytes(raw)) for line, raw in located(data, msgspec.Raw, path)]
    else:
        items = [(line, text) for line, text in enumerate(data.split(b"\n"), start=1) if text.strip()]
    if not any(isinstance(_decoded(item), dict) for _, item in items):
        raise InputError("holds no prediction: neither a JSON list nor JSON lines of objects", path=path)
    return items


def check_items(items: Sequence[tuple[int, bytes]], claims: Mapping[int, str]) -> Iterator[Problem]:
    """Yield the problems of each prediction in file order, then those of the file as a whole.

    `items` are (line, JSON text); `claims` maps each expected claim_id to the claim's text.
    """
    lines: dict[int, int] = {}
    for line, item in items:
        record = _decoded(item)
        if not isinstance(record, dict):
            yield Problem(line, None, "", "not a JSON object")
            continue
        claim_id = record.get("claim_id")
        if not isinstance(claim_id, int) or isinstance(claim_id, bool):
            yield Problem(line, None, "claim_id", _wrong(record, "claim_id", "a whole number"))
            claim_id = None
        elif claim_id in lines:
            yield Problem(line, claim_id, "claim_id", f"is already on line {lines[claim_id]}")
        elif claim_id not in claims:
            yield Problem(line, claim_id, "claim_id", "no such claim in the label file and range")
        if claim_id is not None:
            lines.setdefault(claim_id, line)
        for field, message, error in _check_record(record, claims.get(claim_id) if claim_id is not None else None):
            yield Problem(line, claim_id, field, message, error)
    yield from _check_whole(list(lines), claims)


def _check_whole(claim_ids: Sequence[int], claims: Mapping[int, str]) -> Iterator[Problem]:
    """Yield the problems of the file as a whole: missing claims, and another order than in the label file.

    `claim_ids` are those of the predictions, without repetitions, in file order.
    """
    present = set(claim_ids)
    missing = [str(claim_id) for claim_id in claims if claim_id not in present]
    if missing:
        shown = ", ".join(missing[:SHOWN]) + (", …" if len(missing) > SHOWN else "")
        lacking = how_many(len(missing), "claim")
        yield Problem(0, None, "claim_id", f"{lacking} missing: {shown} (-s and -e check a part)")
    expected = [claim_id for claim_id in claims if claim_id in present]
    if [claim_id for claim_id in claim_ids if claim_id in claims] != expected:
        message = "not in the order of the label file: scorers that join by position misread it"
        yield Problem(0, None, "", message, error=False)


Finding = tuple[str, str, bool]  # field, message, True for an error


def _check_record(record: Fields, text: str | None) -> Iterator[Finding]:
    """Yield the problems of a prediction; `text` is the claim's text, None if the claim is not expected."""
    claim = record.get("claim")
    if not isinstance(claim, str):
        yield "claim", _wrong(record, "claim", "a text"), True
    elif text is not None and claim != text:
        yield "claim", "another text than in the label file", True
    label = record.get("pred_label")
    if not isinstance(label, str):
        yield "pred_label", _wrong(record, "pred_label", "a text"), True
    elif label not in VERDICTS:
        yield "pred_label", f"{label!r} is none of {', '.join(VERDICTS)}", True
    evidence = record.get("evidence")
    if not isinstance(evidence, list):
        yield "evidence", _wrong(record, "evidence", "a list"), True
        return
    if not evidence:
        yield "evidence", "empty: scores 0", False
    if len(evidence) > MOST_EVIDENCE:
        yield "evidence", f"{len(evidence)} pieces: those after the first {MOST_EVIDENCE} are not scored", False
    for place, piece in enumerate(evidence):
        yield from _check_evidence(f"evidence[{place}]", piece)


def _check_evidence(place: str, piece: object) -> Iterator[Finding]:
    """Yield the problems of a piece of evidence; `place` names it, such as `evidence[0]`."""
    if not isinstance(piece, dict):
        yield place, "not an object", True
        return
    for name in ("question", "answer"):
        value = piece.get(name)
        if not isinstance(value, str):
            yield f"{place}.{name}", _wrong(piece, name, "a text"), True
        elif not value.strip():
            yield f"{place}.{name}", "empty", True
    if isinstance(piece.get("url"), list):
        yield f"{place}.url", f"a list; {ONE_PAGE}", True
    else:
        yield from _check_source(place, piece, "url")
    yield from _check_source(place, piece, "scraped_text")
    if "urls" in piece:
        yield f"{place}.urls", f"no field of a submission; {ONE_PAGE}", True


def _check_source(place: str, piece: Fields, name: str) -> Iterator[Finding]:
    """Yield the problem of a field that says where a piece of evidence is from, if it has one."""
    if not isinstance(piece.get(name), str):
        yield f"{place}.{name}", _wrong(piece, name, "a text"), True
    elif not piece[name]:
        yield f"{place}.{name}", "empty", False


def _wrong(record: Fields, name: str, wanted: str) -> str:
    """Return the message for a field that is missing or is not what is `wanted`."""
    return f"not {wanted}" if name in record else "missing"


def _decoded(item: bytes) -> object:
    """Return the decoded JSON value; None if the JSON is invalid."""
    try:
        return decode(item, object)
    except msgspec.DecodeError:
        return None
