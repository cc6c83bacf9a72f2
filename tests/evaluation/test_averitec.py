import pytest

from src.evaluation.averitec import Gold, Guess, gold_strings, score
from src.records import Answer, AnswerType, Claim, QAPair, Question, Verdict


def gold(*questions: Question) -> Gold:
    return Gold(
        Claim(claim="Cats bark.", claim_id=3, claim_types=["Event/Property Claim"], questions=list(questions)), REFUTED
    )


REFUTED = Verdict.REFUTED
BARK = Question("Do cats bark?", [Answer("No, dogs do.", AnswerType.EXTRACTIVE)])
MEOW = Question("Who meows at night?", [Answer("Most cats.", AnswerType.ABSTRACTIVE)])


def test_every_answer_is_a_reference() -> None:
    question = Question(
        "Who barks?",
        [
            Answer("Dogs", AnswerType.EXTRACTIVE),
            Answer("Yes", AnswerType.BOOLEAN, boolean_explanation="Dogs do."),
            Answer("No answer could be found.", AnswerType.UNANSWERABLE),
        ],
    )
    assert gold_strings(question) == [
        "Who barks? Dogs",
        "Who barks? Yes. Dogs do.",
        "Who barks? No answer could be found.",
    ]


def test_a_question_without_answers_is_one_reference() -> None:
    assert gold_strings(Question("Who barks?")) == ["Who barks? No answer could be found."]


def test_same_evidence_scores_just_under_one() -> None:
    pairs = [QAPair("Who meows at night?", "Most cats."), QAPair("Do cats bark?", "No, dogs do.")]
    result = score(gold(BARK, MEOW), Guess(3, REFUTED, pairs))
    assert result.question_only == pytest.approx(1 - (0.5 / 4**3 + 0.5 / 5**3) / 2)  # the words of each, ? included
    assert result.question_answer == pytest.approx(1 - (0.5 / 9**3 + 0.5 / 8**3) / 2)
    assert (result.label, result.guessed, result.claim_types) == (REFUTED, REFUTED, ["Event/Property Claim"])


def test_a_missing_reference_counts() -> None:
    result = score(gold(BARK, MEOW), Guess(3, REFUTED, [QAPair("Do cats bark?", "No, dogs do.")]))
    assert result.question_answer == pytest.approx(0.5, abs=0.05)


def test_an_answer_is_used_once() -> None:
    twice = [QAPair("Do cats bark?", "No, dogs do.")] * 2
    once = score(gold(BARK), Guess(3, REFUTED, twice[:1]))
    assert score(gold(BARK), Guess(3, REFUTED, twice)) == once
    assert score(gold(BARK, BARK), Guess(3, REFUTED, twice)) == once


def test_only_the_first_ten_pairs_count() -> None:
    noise = [QAPair("x", "y")] * 10
    assert score(gold(BARK), Guess(3, REFUTED, [*noise, QAPair("Do cats bark?", "No, dogs do.")])).question_answer == 0


def test_all_joined_strings_count_and_have_no_questions() -> None:
    result = score(gold(BARK), Guess(3, REFUTED, [*["x y"] * 10, "Do cats bark? No, dogs do."]))
    assert result.question_answer > 0.99
    assert result.question_only is None


def test_no_evidence_scores_zero() -> None:
    result = score(gold(BARK), Guess(3, Verdict.NOT_ENOUGH_EVIDENCE, []))
    assert (result.question_only, result.question_answer) == (0, 0)


def test_a_claim_without_references_scores_zero() -> None:
    result = score(gold(), Guess(3, REFUTED, [QAPair("Do cats bark?", "No.")]))
    assert (result.question_only, result.question_answer) == (0, 0)
