"""In-context examples: what becomes one, in what layout, and which are found."""

from pathlib import Path

import numpy as np
import pytest
from nltk.tokenize import word_tokenize
from rank_bm25 import BM25Okapi

from src.records import Answer, AnswerType, Claim, Question
from src.reranking.questions.examples import ExampleCorpus
from src.store import read_claims, read_records


def corpus(*answers: Answer, question: str = "Who?", claim: str = "c") -> ExampleCorpus:
    return ExampleCorpus([Claim(claim, questions=[Question(question, list(answers))])])


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (Answer("The mayor", AnswerType.EXTRACTIVE), "The mayor."),
        (Answer("The mayor.", AnswerType.ABSTRACTIVE), "The mayor."),
        (Answer("Really!", AnswerType.EXTRACTIVE), "Really!"),
        (Answer("As follows:", AnswerType.EXTRACTIVE), "As follows:"),
        (Answer("Why?", AnswerType.EXTRACTIVE), "Why?"),
        (Answer("Yes", AnswerType.BOOLEAN, boolean_explanation=" The Mayor SAID.\n"), "Yes, because the mayor said."),
        (Answer("No", AnswerType.BOOLEAN, boolean_explanation="It Was Not"), "No, because it was not."),
        (Answer("No", AnswerType.BOOLEAN), "No."),
        (Answer(" kept as is ", AnswerType.EXTRACTIVE), " kept as is ."),
        (Answer("Explained", AnswerType.EXTRACTIVE, boolean_explanation="ignored"), "Explained."),
        (Answer("No type"), "No type."),
    ],
)  # fmt: skip
def test_the_answer_as_it_is_searched(answer: Answer, text: str) -> None:
    assert [example.answer for example in corpus(answer).examples] == [text]


@pytest.mark.parametrize(
    "answer",
    [
        Answer("", AnswerType.EXTRACTIVE),
        Answer(" \n", AnswerType.ABSTRACTIVE),
        Answer("", AnswerType.BOOLEAN, boolean_explanation="of nothing"),
        Answer("No answer could be found.", AnswerType.UNANSWERABLE),
        Answer("", AnswerType.UNANSWERABLE),
    ],
)
def test_answers_from_which_nothing_is_learnt(answer: Answer) -> None:
    assert corpus(answer).examples == []


@pytest.mark.parametrize("question", ["", "  ", "\n\t"])
def test_empty_questions_are_left_out(question: str) -> None:
    assert corpus(Answer("a"), question=question).examples == []


@pytest.mark.parametrize(
    ("question", "answer", "piece"),
    [
        ("Who won", "The mayor", "Evidence:  The mayor.\nQuestion answered: Who won?"),
        (" Who won? ", "  The\nmayor. ", "Evidence:  The mayor. .\nQuestion answered: Who won?"),
        ("Who\nwon?", "a||b", "Evidence:  a\nb.\nQuestion answered: Who won?"),
        ("Who won.", "a", "Evidence:  a.\nQuestion answered: Who won.?"),
    ],
)
def test_the_published_piece(question: str, answer: str, piece: str) -> None:
    assert corpus(Answer(answer), question=question).examples[0].piece == piece


def published_lookup(claims: list[Claim]) -> list[tuple[str, str]]:
    """(lookup string, claim) as the published interface describes them, written down once more and plainly."""
    examples = []
    for claim in claims:
        for question in claim.questions:
            for answer in question.answers:
                match answer.answer_type:
                    case AnswerType.EXTRACTIVE | AnswerType.ABSTRACTIVE:
                        text = answer.answer
                    case AnswerType.BOOLEAN:
                        text = f"{answer.answer}, because {(answer.boolean_explanation or '').lower().strip()}"
                    case _:
                        continue
                if question.question.strip() and text:
                    examples.append((text if text.endswith((".", "!", ":", "?")) else f"{text}.", claim.claim.strip()))
    return examples


def assert_lookup_is_published(reference: list[Claim], sentences: list[str]) -> None:
    examples = ExampleCorpus(reference)
    lookup = published_lookup(reference)
    assert [(example.answer, example.claim) for example in examples.examples] == lookup
    index = BM25Okapi([word_tokenize(text) for text, _ in lookup])
    for sentence in sentences:
        order = np.argsort(index.get_scores(word_tokenize(sentence)))[::-1]
        expected = [examples.examples[place] for place in order[:10]]
        assert examples.similar(sentence, 10) == expected
        assert examples.similar(sentence, 10_000) == [examples.examples[place] for place in order]
        not_from = expected[0].claim
        others = [examples.examples[place] for place in order if lookup[place][1] != not_from]
        assert examples.similar(sentence, 10, not_from=f" {not_from} ") == others[:10]


def test_the_sample_is_searched_as_published(sample: Path) -> None:
    claims = read_claims(sample / "claims.json")
    sentences = [answer.answer for claim in claims[:4] for question in claim.questions for answer in question.answers]
    assert_lookup_is_published(read_records(sample / "reference.json", Claim), [*sentences, ""])


def test_the_real_corpus_is_searched_as_published(shared_data: Path) -> None:
    reference = read_claims(shared_data / "averitec" / "train.json")[:300]
    assert_lookup_is_published(
        reference, ["Sean Connery wrote a letter to Steve Jobs.", "The vaccine was approved in 2020."]
    )


def test_the_claims_own_examples_are_left_out() -> None:
    claims = [
        Claim("The ferry sank. ", questions=[Question("q1", [Answer("The ferry sank at noon"), Answer("A ferry")])]),
        Claim("Prices doubled", questions=[Question("q2", [Answer("The ferry was dear")])]),
        Claim("The ferry sank.", questions=[Question("q3", [Answer("No ferry sank")])]),
    ]
    examples = ExampleCorpus(claims)
    assert len(examples.similar("The ferry sank", 10)) == 4
    assert {example.claim for example in examples.similar("The ferry sank", 10, not_from="The ferry sank.")} == {
        "Prices doubled"
    }
    assert len(examples.similar("The ferry sank", 3, not_from="the  ferry sank")) == 1
    assert len(examples.similar("The ferry sank", 3, not_from="A ferry sank.")) == 3
    assert examples.similar("The ferry sank", 0) == []


def test_examples_of_a_claim_without_text_are_left_out_for_that_claim_only() -> None:
    claims = [Claim("", questions=[Question("q1", [Answer("The ferry sank")])]), Claim("Prices doubled")]
    examples = ExampleCorpus(claims)
    assert len(examples.similar("The ferry sank", 10)) == 1
    assert examples.similar("The ferry sank", 10, not_from=" ") == []


def test_an_empty_corpus_has_no_examples() -> None:
    assert ExampleCorpus([]).similar("anything", 10) == []
    assert ExampleCorpus([Claim("no questions")]).similar("anything", 10, not_from="no questions") == []
