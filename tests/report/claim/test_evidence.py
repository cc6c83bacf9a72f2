"""Predicted pairs beside gold pairs."""

import pytest

from src.evaluation.averitec import Gold, Guess, score
from src.records import Answer, AnswerType, ChosenSentence, Claim, QAPair, Question, Reason, Sentence, Verdict
from src.report.claim_view import gold_pairs_of, matched, pairs_of, retrieved

CLAIM = Claim(
    "Eels swim to Lund.",
    0,
    Verdict.REFUTED,
    questions=[
        Question("Where do eels swim?", [Answer("To the sea.", source_url="https://sea.example/eels")]),
        Question("Who saw them?", []),
        Question("Do eels fly?", [Answer("No", AnswerType.BOOLEAN, boolean_explanation="They have no wings.")]),
    ],
)


def test_gold_pairs_are_as_many_as_the_score_has_references() -> None:
    found = gold_pairs_of(CLAIM)
    assert [one.number for one in found] == [1, 2, 3]
    assert [one.answer for one in found] == ["To the sea.", "No answer could be found.", "No. They have no wings."]
    assert [one.url for one in found] == ["https://sea.example/eels", "", ""]
    assert len(found) == len(Gold(CLAIM, Verdict.REFUTED).answers)


def test_pairs_are_matched_one_to_one_so_that_the_sum_is_largest() -> None:
    evidence = [QAPair("Do eels fly?", "No, they have no wings."), QAPair("Where do eels swim?", "To the sea.")]
    pairs, gold = matched(pairs_of(evidence), gold_pairs_of(CLAIM), Gold(CLAIM, Verdict.REFUTED))
    assert [one.partner for one in pairs] == [3, 1]
    assert [one.partner for one in gold] == [2, None, 1]
    assert pairs[1].meteor == gold[0].meteor == pytest.approx(0.9997, abs=0.001)


def test_what_shares_no_word_is_matched_with_none() -> None:
    pairs, gold = matched(pairs_of([QAPair("Zebra", "Xylophone")]), gold_pairs_of(CLAIM), Gold(CLAIM, Verdict.REFUTED))
    assert pairs[0].partner is None
    assert all(one.partner is None for one in gold)


def test_the_eleventh_pair_is_not_matched_as_it_is_not_scored() -> None:
    evidence = [QAPair("Zebra?", "Xylophone")] * 10 + [QAPair("Where do eels swim?", "To the sea.")]
    pairs, _ = matched(pairs_of(evidence), gold_pairs_of(CLAIM), Gold(CLAIM, Verdict.REFUTED))
    assert pairs[10].partner is None


def test_without_evidence_nothing_is_matched() -> None:
    pairs, gold = matched((), gold_pairs_of(CLAIM), Gold(CLAIM, Verdict.REFUTED))
    assert pairs == ()
    assert [one.partner for one in gold] == [None] * 3


def test_retrieved_sentences_say_which_pair_they_answer() -> None:
    reason = Reason(1.0, 2.0, 3, 0.5, 4)
    sentences = [
        Sentence("Eels rest.", "https://a.example"),
        ChosenSentence("To  the sea.", "https://b.example", "Before.", "After.", reason),
    ]
    plain, chosen = retrieved(sentences, pairs_of([QAPair("Where?", "To the sea.")]))
    assert (plain.rank, plain.used, plain.reason) == (1, (), None)
    assert (chosen.rank, chosen.used, chosen.before, chosen.after) == (2, (1,), "Before.", "After.")
    assert chosen.reason is reason


def test_a_labelled_claim_without_gold_questions_is_matched_with_none() -> None:
    bare = Claim("Eels swim to Lund.", 0, Verdict.REFUTED, questions=[])
    pairs, gold = matched(pairs_of([QAPair("Do eels fly?", "No")]), gold_pairs_of(bare), Gold(bare, Verdict.REFUTED))
    assert [one.partner for one in pairs] == [None]
    assert gold == ()


@pytest.mark.parametrize("claim_number", [0, 1])
def test_what_is_shown_as_matched_adds_up_to_the_score(claim_number: int) -> None:
    evidence = [QAPair("Do eels fly?", "No."), QAPair("Where do they swim?", "To Lund.")][claim_number:]
    gold = Gold(CLAIM, Verdict.REFUTED)
    pairs, _ = matched(pairs_of(evidence), gold_pairs_of(CLAIM), gold)
    found = score(gold, Guess(0, Verdict.REFUTED, evidence)).question_answer
    assert sum(one.meteor or 0.0 for one in pairs) / len(gold.answers) == pytest.approx(found, abs=1e-9)
