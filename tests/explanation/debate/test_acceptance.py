"""Acceptance of revisions: no other verdict, and no name or number that the lexical rules find to be new."""

import re
from collections.abc import Sequence

import pytest

from src.explanation.checks.checker import Checker, checker
from src.explanation.debate.conversation import Result
from src.explanation.debate.refiner import as_written, kept_explanation
from src.explanation.records import Debate, ExplainedClaim, Stop
from src.explanation.typology import ErrorType
from src.models.faithfulness import LABELS, NONE, Premise, Tagger, Word
from src.records import QAPair

EVIDENCE = [QAPair("Do eels fly?", "There is no sign of it: eels do not fly. Eels swim in rivers.")]
PLAIN = "Eels swim in rivers."


class Trusting(Tagger):
    """Tagger that doubts no word."""

    def __init__(self) -> None:
        pass

    def tag(self, pairs: Sequence[tuple[str, Premise]]) -> list[list[Word]]:
        faithful = (1.0, *[0.0] * (len(LABELS) - 1))
        return [[Word(0, len(sentence), faithful)] for sentence, _ in pairs]


@pytest.fixture(scope="module")
def words() -> Checker:
    return checker()


def debated(by: Checker, draft: str, revision: str, label: str = "Refuted", most_words: int = 80) -> tuple[str, str]:
    """Return the final explanation, and the reason if the revision is rejected."""
    claim = ExplainedClaim(0, "Eels fly.", label, EVIDENCE, explanation=draft)
    (before,) = by.check([claim])
    debate = Debate(Stop.AGREED, 0, 4, 0, False, [])
    result, _ = kept_explanation(claim, before, Result(revision, debate), by, most_words)
    assert debate.accepted is (not debate.kept_back)
    return result.explanation or "", debate.kept_back


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
    text, why = debated(by, draft, revision)
    assert text == draft
    assert why.startswith('the revision says "')
    assert why.endswith("but the verdict is Refuted")


def test_the_right_verdict_may_be_added(words: Checker) -> None:
    revision = "Eels swim in rivers, so the claim is refuted."
    assert debated(words, PLAIN, revision) == (revision, "")


def test_the_verdict_may_be_worded_otherwise(words: Checker) -> None:
    revision = f"{PLAIN} The evidence refutes the claim."
    assert debated(words, f"{PLAIN} So the claim is refuted.", revision) == (revision, "")


@pytest.mark.parametrize(
    ("draft", "revision", "why"),
    [
        (
            PLAIN,
            "Nils Falk saw that eels swim in rivers.",
            'the revision says "Nils Falk", but neither the claim nor its evidence names',
        ),
        (
            PLAIN,
            "Eels swim in 1913 rivers.",
            'the revision says "1913", but neither the claim nor its evidence has this number',
        ),
        ("Eels swim in 1913 rivers.", "Eels swim in some 1913 rivers.", ""),
    ],
)
def test_a_tagger_lets_no_new_name_or_number_in(words: Checker, draft: str, revision: str, why: str) -> None:
    by = Checker(words._language, Trusting())
    text, reason = debated(by, draft, revision)
    assert text == (draft if why else revision)
    assert reason.startswith(why)
    assert bool(reason) is bool(why)


def test_one_endless_sentence_is_too_long(words: Checker) -> None:
    endless = "Eels swim in rivers " + "and in rivers " * 9 + "so the claim is refuted."
    assert debated(words, PLAIN, endless, most_words=20) == (PLAIN, "the revision is too long")


def test_marks_alone_are_not_too_long(words: Checker) -> None:
    revision = "Eels swim in rivers, so the claim is refuted."
    assert debated(words, PLAIN, f"{revision} ...") == (revision, "")


TWO_ERRORS = "Nils Falk counted them. Eels swim in 1913 rivers. They never fly over the sea at night."


@pytest.mark.parametrize(
    ("draft", "revision"),
    [
        (TWO_ERRORS, "They never fly over the sea at night."),
        (TWO_ERRORS, "Eels swim in 1913 rivers. They never fly over the sea at night."),
        ("All 1913 eels that Nils Falk saw swim in rivers.", "1913 eels that Nils Falk saw swim in rivers."),
        (f"{TWO_ERRORS} {'They swim on and on. ' * 15}", f"Of course {TWO_ERRORS} {'They swim on and on. ' * 15}"),
    ],
)  # fmt: skip
def test_a_revision_that_only_takes_errors_out_is_accepted(words: Checker, draft: str, revision: str) -> None:
    text, why = debated(words, draft, revision)
    assert why == ""
    assert text == revision.strip()


class Doubting(Tagger):
    """Tagger that doubts the word `fly` in sentences of at most five words, as a wrong event."""

    def __init__(self) -> None:
        pass

    def tag(self, pairs: Sequence[tuple[str, Premise]]) -> list[list[Word]]:
        return [
            [self._word(match, len(sentence.split()) <= 5) for match in re.finditer(r"\w+", sentence)]
            for sentence, _ in pairs
        ]

    def _word(self, match: re.Match[str], is_short: bool) -> Word:
        label = ErrorType.INTRINSIC_EVENT if is_short and match[0] == "fly" else NONE
        return Word(*match.span(), tuple(float(one == label) for one in LABELS))


@pytest.mark.parametrize(
    ("revision", "why"),
    [
        ("Eels do not fly over.", ""),
        ("Eels do fly over.", 'the revision says "fly", but the evidence says otherwise'),
    ],
)
def test_what_is_found_anew_between_the_same_words_is_no_new_error(words: Checker, revision: str, why: str) -> None:
    by = Checker(words._language, Doubting())
    draft = "Eels do not fly over rivers at night when they are awake."
    assert debated(by, draft, revision) == (draft if why else revision, why)


NO_EELS = "In 1913 all eels flew over Lorn (wrong) and cost nine million crowns."


@pytest.mark.parametrize(
    ("revision", "why"),
    [
        ("Eels flew in rivers.", ""),
        ("Eels flew over crowns.", ""),
        ("They swim in rivers.", "the revision is another text"),
    ],
)
def test_a_short_revision_may_have_the_evidences_words_for_those_it_takes_out(
    words: Checker, revision: str, why: str
) -> None:
    assert debated(words, NO_EELS, revision) == (NO_EELS if why else revision, why)


def test_a_revision_of_the_verdict_alone_is_another_text(words: Checker) -> None:
    assert debated(words, f"{TWO_ERRORS} So the claim is refuted.", "So the claim is refuted.") == (
        f"{TWO_ERRORS} So the claim is refuted.", "the revision is another text",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "explanation", "cites"),
    [
        ("Eels swim [1].\nSo it is [2019] refuted. [1][9]", "Eels swim. So it is [2019] refuted.", [[1], [1]]),
        ("Eels swim!(In rivers.)", "Eels swim! (In rivers.)", [[1], [1]]),  # no word is cut
        ("Eels swim. ... [1]", "Eels swim.", [[1]]),
        ("[1]", "", []),
    ],
)
def test_what_is_taken_out_of_a_revision(text: str, explanation: str, cites: list[list[int]]) -> None:
    taken = as_written(ExplainedClaim(0, "Eels fly.", "Refuted", EVIDENCE, explanation=PLAIN), text)
    assert (taken.explanation, taken.cites) == (explanation, cites)
