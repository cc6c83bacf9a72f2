"""Which sentences are check-worthy, and why others are not."""

import pytest

from src.check.article.claims_of_article import claims_of
from src.check.article.worthiness import worth_of
from src.spacy_pipelines import FROM_PYPI, load


def reason(text: str) -> str:
    (sentence,) = load(FROM_PYPI, [])(text).sents
    return worth_of(sentence).reason


@pytest.mark.parametrize(
    "text",
    [
        "How many boats does Nils Holm own",
        "Did Nils Holm sell 12 boats in 2020",
        "Who sold 12 boats to Nils Holm",
        "Has Nils Holm sold 12 boats",
        "HOW MANY BOATS DOES NILS HOLM OWN.",
        "Does Nils Holm own 12 boats?",
    ],
)
def test_a_question_needs_no_question_mark(text: str) -> None:
    assert reason(text) == "a question"


@pytest.mark.parametrize(
    "text",
    [
        "When Nils Holm came to Oslo, he owned 12 boats.",
        "What Nils Holm owns is worth 12 million crowns.",
        "WHO counted 12 million patients in 2020.",
        "Do Kwon founded 2 firms in 2018.",
        "Can openers from Oslo sold 3 million in 2020.",
        "Nils Holm said that Oslo would have had 3 harbors.",
    ],
)
def test_a_statement_is_no_question(text: str) -> None:
    assert reason(text) == ""


def test_a_reported_prediction_is_no_claim() -> None:
    assert reason("Nils Holm said that Oslo will build 3 harbors.") == "a prediction, a wish or a possibility"


@pytest.mark.parametrize("text", ["Nordfrost is expected to be sold in June.", "Holm expects to sell 12 boats."])
def test_what_is_expected_is_no_claim(text: str) -> None:
    assert reason(text) == "a prediction, a wish or a possibility"


def test_an_opinion_is_no_claim() -> None:
    assert reason("In my opinion Oslo is the nicest of the 3 towns.") == "an opinion"


def test_a_line_before_a_list_is_no_claim() -> None:
    assert reason("Nils Holm said this in Oslo:") == "no statement"


@pytest.mark.parametrize("text", ["asdf", "asdf jkl qwer zxcv", "qwertz uiop 123"])
def test_random_letters_have_no_claim(text: str) -> None:
    assert claims_of(text, 5).claims == []


def test_a_capitalized_word_that_is_no_known_name_counts() -> None:
    (claim,) = claims_of("The RT-PCR test does not detect Covid-19.", 5).claims
    assert claim.claim == "The RT-PCR test does not detect Covid-19."
