"""The word pieces that a planted error covers, of those of a sentence that fit in a row."""

from pathlib import Path

from src.models.evidence_rows import RowMaker
from src.training.faithfulness import TaggedSentence, _tags

BASE = Path("pretrained_models/all-mpnet-base-v2")


def tags(sentence: str, word: str, length: int = 64) -> list[tuple[str, int]]:
    maker = RowMaker(BASE, length)
    start = sentence.index(word)
    example = TaggedSentence((sentence, [("claim", "Eels swim.")]), sentence, 3, start, start + len(word))
    (row,) = maker.rows([example.text])
    (offsets,) = maker.offsets([sentence])
    found = _tags(example, row, maker)
    assert len(found) == row.second - 2
    return [(sentence[first:last], tag) for (first, last), tag in zip(offsets, found, strict=False)]


def test_only_the_error_is_tagged() -> None:
    found = tags("The mill burnt in 1950.", "1950")
    assert "".join(piece for piece, tag in found if tag == 3) == "1950"
    assert {tag for _, tag in found} == {0, 3}


def test_what_does_not_fit_has_no_tag() -> None:
    sentence = f"{'The mill burnt and ' * 20}fell in 1950."
    found = tags(sentence, "1950")
    assert len(found) < 40
    assert {tag for _, tag in found} == {0}
