"""When a revision takes the draft's place: no other verdict, no name or number that words can tell to be new."""

from collections.abc import Sequence

import pytest

from src.explanation.checks.checker import Checker, checker
from src.explanation.debate.acceptance import settled
from src.explanation.debate.records import Debate, Stop
from src.explanation.debate.talk import Result
from src.explanation.records import ExplainedClaim
from src.models.faithfulness import LABELS, Premise, Tagger, Word
from src.records import QAPair

EVIDENCE = [QAPair("Do eels fly?", "There is no sign of it: eels do not fly. Eels swim in rivers.")]
PLAIN = "Eels swim in rivers."


class Trusting(Tagger):
    """Doubts no word."""

    def __init__(self) -> None:
        pass

    def tag(self, asked: Sequence[tuple[str, Premise]]) -> list[list[Word]]:
        faithful = (1.0, *[0.0] * (len(LABELS) - 1))
        return [[Word(0, len(sentence), faithful)] for sentence, _ in asked]


@pytest.fixture(scope="module")
def words() -> Checker:
    return checker()


def debated(by: Checker, draft: str, revision: str, label: str = "Refuted", most_words: int = 80) -> tuple[str, str]:
    """What stands in the end, and why the revision does not."""
    claim = ExplainedClaim(0, "Eels fly.", label, EVIDENCE, explanation=draft)
    (before,) = by.check([claim])
    debate = Debate(Stop.AGREED, 0, 4, 0, False, [])
    stands, _ = settled(claim, before, Result(revision, debate), by, most_words)
    assert debate.accepted is (not debate.kept_back)
    return stands.explanation or "", debate.kept_back


@pytest.mark.parametrize(
    ("draft", "revision"),
    [
        ("Eels do not fly so the claim is refuted.", "Eels do not fly so the claim is supported."),
        (
            "There is no evidence that eels fly and so the claim is false.",
            "There is no evidence that eels fly and so the claim is true.",
        ),
        (f"{PLAIN} The evidence refutes the claim.", f"{PLAIN} The evidence supports the claim."),
        (f"{PLAIN} The claim is refuted.", f"{PLAIN} The evidence supports the claim. So the claim is refuted."),
        (f"{PLAIN} The claim is refuted.", f"{PLAIN} The claim is not refuted."),
        (PLAIN, f"{PLAIN} So the claim is supported."),
    ],
)
@pytest.mark.parametrize("is_trusting", [False, True])
def test_the_opposite_verdict_is_kept_back(words: Checker, draft: str, revision: str, is_trusting: bool) -> None:
    by = Checker(words._language, Trusting()) if is_trusting else words
    stands, why = debated(by, draft, revision)
    assert (stands, why[:3]) == (draft, "RC ")


def test_the_right_verdict_may_be_added(words: Checker) -> None:
    revision = "Eels swim in rivers, so the claim is refuted."
    assert debated(words, PLAIN, revision) == (revision, "")


def test_the_verdict_may_be_worded_otherwise(words: Checker) -> None:
    revision = f"{PLAIN} The evidence refutes the claim."
    assert debated(words, f"{PLAIN} So the claim is refuted.", revision) == (revision, "")


@pytest.mark.parametrize(
    ("draft", "revision", "why"),
    [
        (PLAIN, "Nils Falk saw that eels swim in rivers.", "EE Nils Falk: neither the claim nor its evidence names"),
        (PLAIN, "Eels swim in 1913 rivers.", "EE 1913: neither the claim nor its evidence has this number"),
        ("Eels swim in 1913 rivers.", "Eels swim in some 1913 rivers.", ""),
    ],
)
def test_a_tagger_lets_no_new_name_or_number_in(words: Checker, draft: str, revision: str, why: str) -> None:
    by = Checker(words._language, Trusting())
    stands, reason = debated(by, draft, revision)
    assert stands == (draft if why else revision)
    assert reason.startswith(why)
    assert bool(reason) is bool(why)


def test_one_endless_sentence_is_too_long(words: Checker) -> None:
    endless = "Eels swim in rivers " + "and in rivers " * 9 + "so the claim is refuted."
    assert debated(words, PLAIN, endless, most_words=20) == (PLAIN, "it is too long")


def test_marks_alone_are_not_too_long(words: Checker) -> None:
    revision = "Eels swim in rivers, so the claim is refuted."
    assert debated(words, PLAIN, f"{revision} ...") == (revision, "")
