"""What a judge is shown of a claim, in the inputs of both official scorers."""

from src.ev2r.texts import Inputs, Pair, claim_texts, with_claim_as_question
from src.evaluation.averitec import Guess
from src.records import Answer, AnswerType, Claim, QAPair, Question, Verdict

CLAIM = Claim(
    "Dogs bark.",
    0,
    label=Verdict.SUPPORTED,
    questions=[
        Question(
            "Do dogs bark?",
            [
                Answer("Yes", AnswerType.BOOLEAN, boolean_explanation="They do at night."),
                Answer("Often.", AnswerType.EXTRACTIVE),
            ],
        ),
        Question("Do fish?", []),
    ],
)
GUESS = Guess(0, Verdict.REFUTED, [QAPair("Do\ndogs bark?", "No."), QAPair("Do\ndogs bark?", "Never.")])


def test_hugging_face_has_all_answers_with_explanations() -> None:
    texts = claim_texts(CLAIM, GUESS, Inputs.HUGGING_FACE)
    assert texts.reference == [
        Pair("Do dogs bark?", "Yes. They do at night."),
        Pair("Do dogs bark?", "Often."),
        Pair("Do fish?", "No answer could be found."),
    ]
    assert texts.reference_questions == ["Do dogs bark?", "Do fish?"]
    assert texts.predicted_questions == ["Do dogs bark?"]
    assert [pair.text for pair in texts.predicted] == ["Do dogs bark? No.", "Do dogs bark? Never."]


def test_evalai_has_the_first_answer_without_explanation() -> None:
    texts = claim_texts(CLAIM, GUESS, Inputs.EVALAI)
    assert texts.reference == [Pair("Do dogs bark?", "Yes"), Pair("Do fish?", "No answer could be found.")]


def test_all_pairs_count_and_joined_texts_have_no_questions() -> None:
    many = Guess(0, None, [QAPair(f"Question {n}?", "Answer.") for n in range(14)])
    assert len(claim_texts(CLAIM, many, Inputs.EVALAI).predicted) == 14
    joined = claim_texts(CLAIM, Guess(0, None, ["Do dogs bark? Yes."]), Inputs.EVALAI, has_questions=False)
    assert (joined.has_questions, joined.predicted) == (False, [Pair("", "Do dogs bark? Yes.")])
    assert joined.predicted[0].text == "Do dogs bark? Yes."


def test_the_claim_as_question() -> None:
    texts = with_claim_as_question(claim_texts(CLAIM, GUESS, Inputs.EVALAI))
    assert texts.predicted_questions == ["Is it true that Dogs bark?"]
    assert [pair.answer for pair in texts.predicted] == ["No.", "Never."]
