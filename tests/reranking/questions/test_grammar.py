"""Ungrammatical questions are refused; good ones of many forms pass."""

import pytest

from src.reranking.questions.grammar import is_grammatical_question


@pytest.mark.parametrize(
    "question",
    [
        "Pool the cost what did?",
        "The pool how much did cost?",
        "Pool what is the cost?",
        "What cost the ferry did?",
        "What the mayor is?",
        "Where the pool is?",
        "What the cost of the pool was?",
        "What Obama has done for the city?",
        "How many people the city has?",
        "Why Ansel has planned the pool?",
        "Did Ansel has planned?",
        "Did Ansel has planned the pool?",
        "Which pool did Ansel has planned?",
        "Did China did not close the border?",
        "Could the ferry has sunk?",
        "Where did the pool was built?",
        "Has Ansel plan a pool?",
        "Does the mayor?",
        "Was the mayor?",
        "Where did the ferry?",
        "Does the pool costs money?",
        "What did Ansel Muir planned?",
    ],
)
def test_ungrammatical_questions_are_refused(question: str) -> None:
    assert not is_grammatical_question(question)


@pytest.mark.parametrize(
    "question",
    [
        "What did the pool cost?",
        "What was the cost of the pool?",
        "What has Obama done for the city?",
        "Who did the work?",
        "What did the trick?",
        "What happened?",
        "What does he do?",
        "How many boats does the city have?",
        "How many people were there when the mayor took office?",
        "When was the Kenyan Railway developed?",
        "When was the first shoe made?",
        "Which states have banned fracking?",
        "Whose boat sank off Nigeria?",
        "In which year did the ferry sink?",
        "Since when has the pool been open?",
        "By how much does the budget cut the funds?",
        "According to the coast guard, how many boats sank?",
        "During the pandemic was there a spike in cases?",
        "In 2004, did the ferry sink?",
        "If the mayor resigns, who takes over?",
        "Did Ansel plan a pool?",
        "Did the mayor have to resign?",
        "Did 52 people get arrested?",
        "Has the motto of the court been changed?",
        "Could the officials have been prosecuted?",
        "Should masks be worn outside?",
        "Is there a cure for the disease?",
        "Is it?",
        "Was the mayor elected?",
        "Are minks susceptible to the virus?",
        "Does drinking water prevent the disease?",
        "The council spent nearly a billion in 2018. Did this include a pool?",
    ],
)
def test_grammatical_questions_pass(question: str) -> None:
    assert is_grammatical_question(question)
