"""Explanations without a model: copied sentences, their numbers, the verdict at the end."""

import pytest

from src.errors import InputError
from src.explanation.records import ExplainedClaim
from src.explanation.template import template
from src.explanation.text import explained as explained_claim
from src.records import QAPair, Verdict
from src.text import sentences

EELS = [
    QAPair("Do eels fly?", "No."),
    QAPair("Who says so?", "No answer could be found."),
    QAPair("Where do eels live?", "They have many names. Eels live in rivers and in the sea"),
    QAPair("What do eels eat?", "Eels eat frogs."),
]


def explained(label: str, *pairs: QAPair) -> str:
    return template(ExplainedClaim(0, "Eels fly over rivers.", label, list(pairs))).marked


def test_the_first_answer_is_quoted_with_its_number_and_the_verdict() -> None:
    assert explained(Verdict.REFUTED, *EELS) == (
        "Do eels fly? No. [1] Eels live in rivers and in the sea; so the claim is refuted. [3]"
    )


def test_equal_sentences_are_quoted_once_with_both_numbers() -> None:
    pair = QAPair("Where?", "Eels live in many cold rivers.")
    expected = "Eels live in many cold rivers; so the claim is supported. [1] [2]"
    assert explained(Verdict.SUPPORTED, pair, pair) == expected


def test_a_question_is_quoted_only_if_there_is_nothing_else() -> None:
    question = "Do eels fly over so many rivers?"
    pair = QAPair("Do eels fly?", f"{question} No, says the warden of the weir.")
    assert explained(Verdict.REFUTED, pair) == "No, says the warden of the weir; so the claim is refuted. [1]"
    assert explained(Verdict.REFUTED, QAPair("Do eels fly?", question)).startswith("Do eels fly over so many rivers;")


def test_what_only_repeats_the_claim_is_no_reason_to_refute_it() -> None:
    again = QAPair("Do eels fly?", "Eels fly over rivers, says a leaflet, and everybody knows it.")
    other = QAPair("Where do eels live?", "Eels have fins and live in the water.")
    denied = QAPair("Do eels fly?", "It is not true that eels fly over rivers, says the warden.")
    explanation = explained(Verdict.REFUTED, again, other, denied)
    assert explanation.startswith("Eels have fins and live in the water. [2] It is not true that eels fly over rivers")
    assert explained(Verdict.SUPPORTED, again, other).startswith("Eels fly over rivers, says a leaflet")
    assert explained(Verdict.REFUTED, again).startswith("Eels fly over rivers, says a leaflet")


def test_conflicting_evidence_quotes_both_sides() -> None:
    bare = [QAPair("Did a?", "No."), QAPair("Did b?", "No"), QAPair("Did c?", "Yes.")]
    assert explained(Verdict.CONFLICTING, *bare) == (
        "Did a? No. [1] Did c? Yes; so the evidence is conflicting, or the claim picks only a part of it. [3]"
    )
    assert "Did b? No" in explained(Verdict.REFUTED, *bare)
    whole = [QAPair("Where?", "Eels live in many cold rivers."), QAPair("So?", "Yes, eels fly over some small rivers.")]
    assert explained(Verdict.CONFLICTING, *whole, *bare).startswith(
        "Yes, eels fly over some small rivers. [2] Did a? No; so the evidence is conflicting"
    )


def test_of_one_side_the_first_answers_tell_of_conflicting_evidence() -> None:
    answers = [QAPair("Where?", "Eels live in many cold rivers."), EELS[1], EELS[3], EELS[0]]
    assert explained(Verdict.CONFLICTING, *answers).startswith(
        "Eels live in many cold rivers. [1] What do eels eat? Eels eat frogs; so the evidence is conflicting"
    )


def test_without_an_answer_the_question_is_quoted() -> None:
    assert explained(Verdict.NOT_ENOUGH_EVIDENCE, EELS[1]) == (
        "Who says so? No answer could be found; so what the claim says could not be established: there is not enough "
        "evidence. [1]"
    )
    assert explained(Verdict.NOT_ENOUGH_EVIDENCE).startswith("Nothing that was found tells of it, so what the claim")


def test_a_source_gives_the_sentences_nearest_to_the_claim() -> None:
    source = (
        "Frogs sing.\nEels swim in rivers (as \u201cmany fish do.\nThe sea is salt.\nNo eels fly over rivers.\u201d"
    )
    explanation = template(ExplainedClaim(0, "Eels fly over rivers.", "false", source=source))
    assert explanation.marked == (
        "Eels swim in rivers (as \u201cmany fish do. [2] No eels fly over rivers; so the claim is false. [4]"
    )


def test_an_unknown_label_is_refused() -> None:
    with pytest.raises(InputError, match="'maybe' is none of Supported, Refuted"):
        explained("maybe", *EELS)


def test_each_sentence_of_the_text_has_its_numbers() -> None:
    pairs = [QAPair("Do eels swim?", "Yes"), QAPair("Is the sea wet?", "No")]
    claim = ExplainedClaim(0, "Eels swim.", "true", pairs)
    done = explained_claim(claim, template(claim))
    assert sentences(done.explanation or "") == [
        "Do eels swim?",
        "Yes.",
        "Is the sea wet?",
        "No; so the claim is true.",
    ]
    assert done.cites == [[1], [1], [2], [2]]


def test_a_verdict_without_evidence_follows_from_nothing() -> None:
    claim = ExplainedClaim(0, "Eels fly.", Verdict.REFUTED, [])
    assert template(claim).text == "No evidence was found; the verdict is that the claim is refuted."


def test_no_verdict_follows_from_a_question_without_an_answer() -> None:
    claim = ExplainedClaim(0, "Eels fly.", Verdict.SUPPORTED, [QAPair("Do they?", "No answer could be found.")])
    assert template(claim).text == "No evidence was found; the verdict is that the claim is supported."
