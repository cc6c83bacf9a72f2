"""What would change a verdict, in words."""

import pytest

from src.check.decisive import what_would_change
from src.check.records import Decisive, VerdictWithout
from src.records import Level, QAPair, Verdict
from tests.check.test_text import PAIRS, checked


@pytest.mark.parametrize(
    ("decisive", "pairs", "sentence"),
    [
        (Decisive((), VerdictWithout((2,), Verdict.SUPPORTED, 0.33)), PAIRS,
         "Without [2] the verdict would be Supported (Refuted falls from 71% to 33%)."),
        (Decisive((), VerdictWithout((2,), Verdict.SUPPORTED, 0.74)), PAIRS,
         "Without [2] the verdict would be Supported."),
        (Decisive((), VerdictWithout((2,), Verdict.REFUTED, 0.33, Level.UNDECIDED)), PAIRS,
         "Without [2] the claim would be undecided (Refuted falls from 71% to 33%)."),
        (Decisive((), VerdictWithout((2,), Verdict.SUPPORTED, 0.33, Level.LEANING)), PAIRS,
         "Without [2] the verdict would lean to Supported (Refuted falls from 71% to 33%)."),
        (Decisive((), VerdictWithout((1, 3), Verdict.SUPPORTED)), PAIRS,
         "No single piece decides. Without [1] and [3] the verdict would be Supported."),
        (Decisive((), VerdictWithout((1, 2, 3), Verdict.SUPPORTED)), PAIRS,
         "No single piece decides. Without [1], [2] and [3] the verdict would be Supported."),
        (Decisive(), PAIRS,
         "This was not tried: with this model it takes too long. Its reasons say what they rest on."),
        (Decisive((VerdictWithout((1,), Verdict.REFUTED), VerdictWithout((2,), Verdict.REFUTED))), PAIRS,
         "Nothing: leaving out any part of the evidence keeps the verdict, as far as was tried."),
        (Decisive(), PAIRS[:1], "Nothing but the loss of the only evidence there is."),
        (Decisive(), [], "Nothing: there is no evidence to leave out."),
    ],
)  # fmt: skip
def test_what_would_change_the_verdict(decisive: Decisive, pairs: list[QAPair], sentence: str) -> None:
    without_sites = [QAPair(pair.question, pair.answer) for pair in pairs]
    assert what_would_change(checked(decisive, without_sites).prediction, decisive) == sentence


def test_nothing_changes_an_undecided_claim() -> None:
    prediction = checked().prediction
    prediction.level = Level.UNDECIDED
    assert what_would_change(prediction, Decisive()) == ""


@pytest.mark.parametrize("alone", [(), (VerdictWithout((1,), Verdict.NOT_ENOUGH_EVIDENCE),)])
def test_without_its_only_piece_a_claim_stays_not_enough_evidence(alone: tuple[VerdictWithout, ...]) -> None:
    prediction = checked(pairs=PAIRS[:1]).prediction
    prediction.pred_label = Verdict.NOT_ENOUGH_EVIDENCE
    sentence = "Nothing: without the only evidence there is, the verdict is Not Enough Evidence, too."
    assert what_would_change(prediction, Decisive(alone)) == sentence


@pytest.mark.parametrize(
    ("urls", "rests"),
    [
        (("https://www.a.example/1", "https://a.example/2", "https://b.example/"), True),
        (("https://a.example/1", "https://b.example/", "https://a.example/2"), False),
        (("", "", ""), False),
    ],
)
def test_a_verdict_that_rests_on_one_site_is_said_to(urls: tuple[str, str, str], rests: bool) -> None:
    decisive = Decisive((), VerdictWithout((1, 2), Verdict.REFUTED, 0.3, Level.UNDECIDED))
    pairs = [QAPair("What?", "So.", url) for url in urls]
    text = what_would_change(checked(decisive, pairs).prediction, decisive)
    warning = " So the verdict rests on one site, a.example: look for another one that says the same."
    assert text.endswith(warning) is rests
    assert text.removesuffix(warning).endswith("the claim would be undecided (Refuted falls from 71% to 30%).")


def test_a_single_piece_has_its_site_named() -> None:
    decisive = Decisive((VerdictWithout((1,), Verdict.NOT_ENOUGH_EVIDENCE),))
    text = what_would_change(checked(decisive, PAIRS[:1]).prediction, decisive)
    assert text == (
        "Nothing but the loss of the only evidence there is. So the verdict rests on one site, a.example: look for "
        "another one that says the same."
    )
