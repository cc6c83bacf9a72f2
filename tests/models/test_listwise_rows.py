"""Claim and passages as one numbered text: in the published layout, cut fairly, counted before."""

from pathlib import Path

import pytest

from src.errors import InputError
from src.models.evidence_rows import Input
from src.models.listwise_rows import ListwiseRows
from tests.tiny_models import make_bert, make_causal, make_t5

PAIRS = (("The minister", "taxes were cut"), ("", "the vaccine is safe for children"))
CLAIM: Input = ("the river rose", PAIRS)


@pytest.fixture(scope="module")
def t5(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_t5(tmp_path_factory.mktemp("t5") / "t5")


def read(folder: Path, ids: list[int]) -> str:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    return " ".join(str(tokenizer.id_to_token(one)).removeprefix("\u2581") for one in ids)


def test_the_passages_stand_numbered_behind_the_claim(t5: Path) -> None:
    (row,) = ListwiseRows(t5, 64).rows([CLAIM])
    assert row.second == len(row.ids) == ListwiseRows(t5, 64).whole_lengths([CLAIM])[0]
    assert read(t5, row.ids) == (
        "hypothesis: the river rose sentence1: The minister . taxes were cut "
        "sentence2: the vaccine is safe for children </s>"
    )


def test_what_does_not_fit_is_cut_from_the_longest_passage(t5: Path) -> None:
    (row,), (length,) = ListwiseRows(t5, 17).rows([CLAIM]), ListwiseRows(t5, 17).whole_lengths([CLAIM])
    assert (len(row.ids), length) == (17, 19)
    assert read(t5, row.ids) == (
        "hypothesis: the river rose sentence1: The minister . taxes were sentence2: the vaccine is safe for </s>"
    )


def test_a_text_alone_is_a_claim_without_passages(t5: Path) -> None:
    assert ListwiseRows(t5, 64).rows(["the river rose"]) == ListwiseRows(t5, 64).rows([("the river rose", ())])


def test_the_words_are_told_apart_by_their_first_pieces(t5: Path) -> None:
    true, false = ListwiseRows(t5, 64).words()
    assert (read(t5, true), read(t5, false)) == ("true </s>", "false </s>")


def test_other_tokenizers_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"sets no mark at the end of a text"):
        ListwiseRows(make_bert(tmp_path / "bert"), 64)
    with pytest.raises(InputError, match=r"sets no mark at the end of a text"):
        ListwiseRows(make_causal(tmp_path / "causal"), 64)
    with pytest.raises(InputError, match=r"a model with a fast tokenizer is needed"):
        ListwiseRows(tmp_path, 64)
