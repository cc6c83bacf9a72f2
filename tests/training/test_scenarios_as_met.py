"""Scenarios as claims: the pages that are shown decide the label."""

import re
from collections import Counter
from pathlib import Path

import pytest

from src.records import VERDICTS, Verdict
from src.training.passages.mixed import ClaimWithPassages
from src.training.passages.scenarios import is_held_out, read_scenarios, scenario_claims, single_passages
from tests.training.small_scenarios import write_scenarios

FOR, AGAINST, PARTLY = (
    ("shut its doors", "No shop is left"),
    ("opened an hour", "I bought this card"),
    ("The shop is shut",),
)
SHIPPED = Path("data_store/scenarios")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_scenarios(tmp_path_factory.mktemp("scenarios"))


def _own(claim: ClaimWithPassages) -> str:
    """Return what the passages about the claim's own town say."""
    town = claim.claim.split()[3]
    return " ".join(one.text for one in claim.passages if town in one.text)


def _has(claim: ClaimWithPassages, said: tuple[str, ...]) -> bool:
    return any(text in _own(claim) for text in said)


def test_every_scenario_has_each_label_once(folder: Path) -> None:
    found = scenario_claims(folder, 0, held_out=False)
    count = sum(not is_held_out(one) for one in read_scenarios(folder))
    assert Counter(one.label for one in found) == dict.fromkeys(VERDICTS, count)


def test_the_label_is_what_the_shown_pages_say(folder: Path) -> None:
    for seed in range(4):
        for one in scenario_claims(folder, seed, held_out=False):
            sides = (_has(one, FOR), _has(one, AGAINST))
            if one.label is Verdict.CONFLICTING:
                assert sides == (True, True) or (_has(one, PARTLY) and sides == (False, False))
            else:
                assert sides == (one.label is Verdict.SUPPORTED, one.label is Verdict.REFUTED)
            assert one.passages


def test_two_versions_of_one_page_are_never_shown_together(folder: Path) -> None:
    for seed in range(4):
        for one in scenario_claims(folder, seed, held_out=False):
            assert not ("shut its doors" in _own(one) and "opened an hour" in _own(one))


def test_held_out_scenarios_are_not_trained_on_nor_their_pages(folder: Path) -> None:
    learned = [*scenario_claims(folder, 0, held_out=False), *single_passages(folder, 0, held_out=False)]
    towns = {one.claim.split()[3] for one in scenario_claims(folder, 0)}
    assert towns
    assert not towns & {one.claim.split()[3] for one in learned}
    assert not any(town in passage.text for town in towns for one in learned for passage in one.passages)


def test_single_passages_have_the_label_of_their_page(folder: Path) -> None:
    for one in single_passages(folder, 0, held_out=False):
        assert len(one.passages) == 1
        sides = {Verdict.SUPPORTED: FOR, Verdict.REFUTED: AGAINST, Verdict.CONFLICTING: PARTLY}
        assert all(_has(one, said) is (label is one.label) for label, said in sides.items())


def test_words_that_answer_a_claim_do_not_tell_that_nothing_decides() -> None:
    """Of shipped scenarios: a passage that says "false" is mostly one that refutes."""
    said = [one for one in single_passages(SHIPPED, 0, held_out=False) if re.search(r"\bfalse\b", one.passages[0].text)]
    assert sum(one.label is Verdict.REFUTED for one in said) > 0.5 * len(said) > 10


def test_all_labels_have_about_as_many_passages() -> None:
    found = scenario_claims(SHIPPED, 0, held_out=False)
    means = [
        sum(len(one.passages) for one in found if one.label is label) / sum(one.label is label for one in found)
        for label in VERDICTS
    ]
    assert max(means) - min(means) < 0.5
