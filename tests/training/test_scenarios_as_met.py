"""Scenarios as claims: the pages that are shown decide the label."""

from collections import Counter
from pathlib import Path

import pytest

from src.records import VERDICTS, Verdict
from src.training.as_met.records import MetClaim
from src.training.as_met.scenarios import scenario_claims, single_passages
from src.training.scenarios.read import is_held_out, read_scenarios
from tests.training.small_scenarios import write_scenarios

FOR, AGAINST, PARTLY = (
    ("shut its doors", "No shop is left"),
    ("opened an hour", "I bought this card"),
    ("The shop is shut",),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_scenarios(tmp_path_factory.mktemp("scenarios"))


def _has(claim: MetClaim, said: tuple[str, ...]) -> bool:
    """Return True if a passage about the claim's own town says one of these."""
    town = claim.claim.split()[3]
    own = [one.text for one in claim.passages if town in one.text or "The shop is shut" in one.text]
    return any(text in one for text in said for one in own)


def test_every_scenario_has_each_label_once(folder: Path) -> None:
    found = scenario_claims(folder, 0, held_out=False)
    count = sum(not is_held_out(one) for one in read_scenarios(folder))
    assert Counter(one.label for one in found) == dict.fromkeys(VERDICTS, count)


def test_the_label_is_what_the_shown_pages_say(folder: Path) -> None:
    for one in scenario_claims(folder, 1, copies=4, held_out=False):
        sides = (_has(one, FOR), _has(one, AGAINST))
        expected = {
            Verdict.SUPPORTED: (True, False),
            Verdict.REFUTED: (False, True),
            Verdict.NOT_ENOUGH_EVIDENCE: (False, False),
        }
        if one.label is Verdict.CONFLICTING:
            assert sides == (True, True) or (_has(one, PARTLY) and sides == (False, False))
        else:
            assert sides == expected[one.label]
        assert one.passages


def test_two_versions_of_one_page_are_never_shown_together(folder: Path) -> None:
    for one in scenario_claims(folder, 2, copies=4, held_out=False):
        town = one.claim.split()[3]
        texts = " ".join(passage.text for passage in one.passages if town in passage.text)
        assert not ("shut its doors" in texts and "opened an hour" in texts)


def test_held_out_scenarios_are_not_trained_on(folder: Path) -> None:
    learned = {one.key for one in scenario_claims(folder, 0, held_out=False)}
    learned |= {one.key for one in single_passages(folder, 0, held_out=False)}
    assert not learned & {one.key for one in scenario_claims(folder, 0)}


def test_single_passages_have_the_label_of_their_page(folder: Path) -> None:
    for one in single_passages(folder, 0, held_out=False):
        (passage,) = one.passages
        sides = {Verdict.SUPPORTED: FOR, Verdict.REFUTED: AGAINST, Verdict.CONFLICTING: PARTLY}
        if one.label in sides:
            assert any(text in passage.text for text in sides[one.label])
        else:
            assert not any(text in passage.text for said in sides.values() for text in said)
