"""What the methods show a model."""

from pathlib import Path

import pytest

from src.claims import read_labelled_claims
from src.errors import InputError
from src.programs.baselines.closed_book import METHODS, asked_about, closing_verdict, examples, read_examples
from src.text import same

SHOWING = [method for method in METHODS.values() if method.demonstrations]


def test_all_show_the_same_claims_with_the_same_answers() -> None:
    shown = [examples(method) for method in SHOWING]
    assert len(shown) == 3
    first = [(one.claim, one.written.rpartition(": ")[2].removesuffix(".")) for one in shown[0]]
    assert len(first) == 8
    assert sorted(word for _, word in first) == ["False"] * 4 + ["True"] * 4
    for method in shown:
        assert [one.claim for one in method] == [claim for claim, _ in first]
        assert [str(closing_verdict(one.written)) for one in method] == [word.lower() for _, word in first]


@pytest.mark.parametrize(
    "name", ["feverous_dev.json.gz", "hover_dev_release_v1.1.json.gz", "hover_dev_gold_evidence.jsonl.gz"]
)
def test_no_example_is_a_claim_of_the_data_sets(name: str, shared_data: Path) -> None:
    path = shared_data / "programfc" / name
    if not path.exists():
        pytest.skip(f"the data set is not at {path}")
    claims = {same(claim.claim) for claim in read_labelled_claims(path)}
    assert not claims & {same(one.claim) for method in SHOWING for one in examples(method)}


def test_a_claim_in_a_question() -> None:
    assert asked_about("Lund is\n old.") == "Lund is old"
    assert asked_about("Lund is old") == "Lund is old"


def test_a_block_without_a_claim_is_named(tmp_path: Path) -> None:
    (tmp_path / "e.txt").write_text("Is it true that A? The answer is: True\n\nIs B so?\n")
    with pytest.raises(InputError, match=r"e\.txt, line 3: no example begins with 'Is it true that'"):
        read_examples(tmp_path / "e.txt")
