"""Ratings as they are read: of the text they are of, and without half a line."""

from pathlib import Path

import pytest

from src.annotating.answers_file import whole_lines
from src.errors import InputError
from src.explanation.annotation.ratings import Rating, Text, read_ticked
from src.explanation.typology import ErrorType
from src.store import encode_line, encode_lines

EE = ErrorType.EXTRINSIC_ENTITY
FIRST = Rating("ann", 4, "madr", "9f86", [[EE], []], 41.5)


@pytest.mark.parametrize("text", [Text("e3b0", 2), Text("9f86", 1)])
def test_ratings_of_a_text_that_changed_are_refused_with_their_line(text: Text) -> None:
    data = encode_lines([FIRST])
    with pytest.raises(InputError, match=r"r\.jsonl, line 1, field explanation: claim 4 of madr was another text"):
        read_ticked(data, Path("r.jsonl"), {FIRST.item: text})
    earlier = encode_line(Rating("eve", 4, "madr", text.hash, [[]] * text.sentences))
    with pytest.raises(InputError, match=r"r\.jsonl, line 2, field explanation"):
        read_ticked(earlier + data, Path("r.jsonl"), {})


def test_ratings_of_what_is_not_looked_at_are_kept() -> None:
    assert read_ticked(encode_line(FIRST), Path("r.jsonl"), {("cot", 4): Text("e3b0", 7)}) == [FIRST]


def test_only_half_a_line_of_ours_is_taken_for_one() -> None:
    assert whole_lines(b"") == b""
    assert whole_lines(b'{"annot') == b""
    assert whole_lines(b"[1") == b"[1"
