"""Reader and writer of the published file of ranked sentences.

Each line is a JSON object; its sentences are under a key such as `top_100`.
"""

import re
from pathlib import Path

import msgspec

from src.errors import InputError
from src.json_decoding import decode
from src.records import ChosenSentence, ClaimId, RankedSentences
from src.shape_error import shape_error
from src.store import located, read_bytes, refuse_doubles

TOP_K = 100  # sentences of a claim, as published


class _Head(msgspec.Struct):
    claim_id: ClaimId
    claim: str
    speaker: str = ""


def encode_ranked(ranked: RankedSentences) -> bytes:
    """Return a claim's line: `{"claim_id": 0, "claim": "...", "top_100": [{"sentence": "...", "url": "..."}]}`.

    `speaker` is added if the record has one. The line end is not included.
    """
    fields = {"claim_id": ranked.claim_id, "claim": ranked.claim, f"top_{ranked.top_k}": ranked.sentences}
    return msgspec.json.encode(fields | ({"speaker": ranked.speaker} if ranked.speaker else {}))


def read_ranked(path: Path) -> list[RankedSentences]:
    """Return the ranked sentences of all claims of a file, for any k.

    Raises InputError (file, line, field) when a line cannot be read, or when a claim_id occurs twice.
    """
    data = read_bytes(path)
    heads = located(data, _Head, path)
    refuse_doubles(((line, head.claim_id) for line, head in heads), path)
    bodies = located(data, dict[str, msgspec.Raw], path)
    return [_ranked(path, line, head, body) for (line, head), (_, body) in zip(heads, bodies, strict=True)]


def _ranked(path: Path, line: int, head: _Head, body: dict[str, msgspec.Raw]) -> RankedSentences:
    keys = [key for key in body if re.fullmatch(r"top_[0-9]{1,9}", key)]
    if len(keys) != 1:
        raise InputError("exactly one field top_K is needed, such as top_100", path=path, line=line)
    try:
        sentences = decode(body[keys[0]], list[ChosenSentence])  # plain sentences match this type too
    except msgspec.DecodeError as error:
        wrong = shape_error(error, path, line, list[ChosenSentence])
        raise InputError(wrong.message, path=path, line=line, field=f"{keys[0]}{wrong.field}") from None
    return RankedSentences(head.claim_id, head.claim, int(keys[0].removeprefix("top_")), [*sentences], head.speaker)
