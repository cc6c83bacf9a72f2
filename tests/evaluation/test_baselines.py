from src.evaluation.averitec import Gold, Guess, score
from src.evaluation.baselines import always_refuted, claim_as_question
from src.records import Answer, AnswerType, Claim, QAPair, Question, Verdict

CLAIM = Claim(
    claim="Cats bark. ", questions=[Question("Is it true that Cats bark?", [Answer("No", AnswerType.EXTRACTIVE)])]
)
GOLD = Gold(CLAIM, Verdict.SUPPORTED)
GUESS = Guess(0, Verdict.SUPPORTED, [QAPair("Who does what?", "No")])


def test_always_refuted_keeps_the_evidence_scores() -> None:
    before = score(GOLD, GUESS)
    (after,) = always_refuted([before])
    assert after.guessed is Verdict.REFUTED
    assert (after.question_only, after.question_answer) == (before.question_only, before.question_answer)


def test_the_claim_without_its_period_becomes_the_question() -> None:
    scores = claim_as_question([GOLD], [GUESS])
    assert scores is not None
    assert scores[0].guessed is Verdict.REFUTED
    assert (
        scores[0].question_only == score(GOLD, Guess(0, None, [QAPair("Is it true that Cats bark?", "")])).question_only
    )
    assert (
        scores[0].question_answer
        == score(GOLD, Guess(0, None, [QAPair("Is it true that Cats bark?", "No")])).question_answer
    )


def test_joined_strings_have_no_question_to_replace() -> None:
    assert claim_as_question([GOLD], [Guess(0, Verdict.SUPPORTED, ["Do cats bark? No"])]) is None


def test_no_evidence_stays_without_question() -> None:
    scores = claim_as_question([GOLD], [Guess(0, None, [])])
    assert scores is not None
    assert scores[0].question_answer == 0
