"""Input rows of the classifiers: layouts, and fair cuts if not everything fits."""

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from transformers import AutoTokenizer

from src.errors import InputError
from src.models.evidence_rows import MAX_PAIRS, Input, ListwiseRows, Row, RowMaker, fair_shares
from tests.tiny_models import make_bert, make_causal, make_t5, sentences

LINES = sentences()
CLAIM, QUESTION, ANSWER = LINES[0], "Taxes were cut?", LINES[100]


def decoded(folder: Path, row: Row) -> str:
    return str(AutoTokenizer.from_pretrained(folder).decode(row.ids))


def test_the_layout(two_classes: Path) -> None:
    maker = RowMaker(two_classes, 256)
    tokenizer = AutoTokenizer.from_pretrained(two_classes)
    (alone, one, two) = maker.rows([(CLAIM, []), (CLAIM, [(QUESTION, ANSWER)]), (CLAIM, [("", ANSWER), ("Why?", "")])])
    assert alone.ids == tokenizer(CLAIM)["input_ids"]
    assert alone.second == len(alone.ids)
    assert one.ids == tokenizer(CLAIM, f"{QUESTION} {ANSWER}")["input_ids"]
    assert one.second == len(alone.ids)
    answer, why = (tokenizer(text, add_special_tokens=False)["input_ids"] for text in (ANSWER, "Why?"))
    assert two.ids == [*alone.ids, *answer, alone.ids[-1], *why, alone.ids[-1]]


def test_every_pair_is_seen_and_short_ones_stay_whole(two_classes: Path) -> None:
    long = " ".join(LINES[:40])
    pairs = [(QUESTION, long), (long, QUESTION), (QUESTION, "Yes."), (long, long), (QUESTION, long)]
    maker = RowMaker(two_classes, 120)
    (row,) = maker.rows([(CLAIM, pairs)])
    ends = [place for place, piece in enumerate(row.ids) if piece == row.ids[-1]]
    assert 115 <= len(row.ids) <= 120
    assert len(ends) == 1 + len(pairs)
    text = decoded(two_classes, row)
    assert text.count("taxes were cut?") == 2  # the questions of long answers are gone
    assert "yes." in text
    sizes = [after - before - 1 for before, after in pairwise(ends)]
    assert max(sizes) - min(size for place, size in enumerate(sizes) if place != 2) <= 1


def test_of_many_pairs_the_first_ten_count_and_a_long_claim_leaves_room(two_classes: Path) -> None:
    maker = RowMaker(two_classes, 64)
    (row,) = maker.rows([(" ".join(LINES), [(QUESTION, ANSWER)] * 30)])
    assert row.ids.count(row.ids[-1]) == 1 + MAX_PAIRS
    assert row.second < 64 / 2
    assert len(row.ids) <= 64


def test_whole_lengths_are_those_of_rows_that_are_not_cut(two_classes: Path) -> None:
    inputs: list[Input] = [(CLAIM, []), (CLAIM, [(QUESTION, ANSWER), ("", ANSWER)]), CLAIM]
    whole = [len(row.ids) for row in RowMaker(two_classes, 256).rows(inputs)]
    assert RowMaker(two_classes, 256).whole_lengths(inputs) == whole
    assert RowMaker(two_classes, 20).whole_lengths(inputs) == whole
    assert max(len(row.ids) for row in RowMaker(two_classes, 20).rows(inputs)) == 20 < max(whole)


def test_equal_inputs_strange_texts_and_none(two_classes: Path) -> None:
    maker = RowMaker(two_classes, 64)
    assert maker.rows([]) == []
    first, second, _ = maker.rows([("", [("", "")]), ("", [("", "")]), ("\ud800", [("x" * 1_000_000, "\x00")])])
    assert first == second


def test_a_tokenizer_without_marks_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="its tokenizer sets no marks at both ends"):
        RowMaker(make_causal(tmp_path / "causal"), 64)


def test_a_folder_without_a_fast_tokenizer_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"tokenizer\.json: no such file"):
        RowMaker(tmp_path, 64)


@example([1, 1], 1)
@given(st.lists(st.integers(0, 300), max_size=12), st.integers(0, 600))
def test_shares_are_fair(wanted: list[int], room: int) -> None:
    shares = fair_shares(wanted, room)
    assert sum(shares) <= room
    assert all(0 <= share <= want for share, want in zip(shares, wanted, strict=True))
    cut = [share for share, want in zip(shares, wanted, strict=True) if share < want]
    if cut:
        assert sum(shares) > room - len(wanted)
        assert max(shares) <= max(cut) + 1  # who comes last gets what does not divide
        assert max(cut) - min(cut) <= 1
    else:
        assert shares == wanted


PAIRS = (("The minister", "taxes were cut"), ("", "the vaccine is safe for children"))
LISTED: Input = ("the river rose", PAIRS)


@pytest.fixture(scope="module")
def t5(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_t5(tmp_path_factory.mktemp("t5") / "t5")


def read(folder: Path, ids: list[int]) -> str:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    return " ".join(str(tokenizer.id_to_token(one)).removeprefix("\u2581") for one in ids)


def test_the_passages_stand_numbered_behind_the_claim(t5: Path) -> None:
    (row,) = ListwiseRows(t5, 64).rows([LISTED])
    assert row.second == len(row.ids) == ListwiseRows(t5, 64).whole_lengths([LISTED])[0]
    assert read(t5, row.ids) == (
        "hypothesis: the river rose sentence1: The minister . taxes were cut "
        "sentence2: the vaccine is safe for children </s>"
    )


def test_what_does_not_fit_is_cut_from_the_longest_passage(t5: Path) -> None:
    (row,), (length,) = ListwiseRows(t5, 17).rows([LISTED]), ListwiseRows(t5, 17).whole_lengths([LISTED])
    assert (len(row.ids), length) == (17, 19)
    assert read(t5, row.ids) == (
        "hypothesis: the river rose sentence1: The minister . taxes were sentence2: the vaccine is safe for </s>"
    )


def test_a_text_alone_is_a_claim_without_passages(t5: Path) -> None:
    assert ListwiseRows(t5, 64).rows(["the river rose"]) == ListwiseRows(t5, 64).rows([("the river rose", ())])


def test_true_and_false_differ_in_their_first_tokens(t5: Path) -> None:
    true, false = ListwiseRows(t5, 64).words()
    assert (read(t5, true), read(t5, false)) == ("true </s>", "false </s>")


def test_other_tokenizers_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"sets no mark at the end of a text"):
        ListwiseRows(make_bert(tmp_path / "bert"), 64)
    with pytest.raises(InputError, match=r"sets no mark at the end of a text"):
        ListwiseRows(make_causal(tmp_path / "causal"), 64)
    with pytest.raises(InputError, match=r"a model with a fast tokenizer is needed"):
        ListwiseRows(tmp_path, 64)
