"""Words of the claim's own speaker are no evidence for the claim."""

import pytest

from src.stance.records import Passage
from src.stance.restatement import repeats

CLAIM = "Unemployment in the town doubled in two years."
NEWS = "https://news.example/a"


@pytest.mark.parametrize(
    "text",
    [
        "Unemployment in the town doubled in two years, Mayor Varn said.",
        'Mayor Varn: "Unemployment in the town doubled in two years."',
        "In her speech Mayor Varn told voters that unemployment in the town doubled in two years.",
        "Unemployment in the town doubled in two years. So said Varn.",
    ],
)
def test_what_the_speaker_says_repeats_the_claim(text: str) -> None:
    assert repeats(CLAIM, Passage(text, NEWS, "Mayor Varn"))
    assert not repeats(CLAIM, Passage(text, NEWS, "Ansel Roe"))
    assert not repeats(CLAIM, Passage(text, NEWS))


@pytest.mark.parametrize("url", ["https://www.mayor-varn.example/news", "https://mayorvarn.example/"])
def test_the_site_of_the_speaker_repeats_the_claim(url: str) -> None:
    assert repeats(CLAIM, Passage(CLAIM, url, "Mayor Varn"))
    assert not repeats(CLAIM, Passage(CLAIM, NEWS, "Mayor Varn"))


@pytest.mark.parametrize(
    "text",
    [
        "Unemployment in the town doubled in two years, according to a survey of which Varn spoke.",
        "Unemployment in the town has not doubled in two years, as Varn said.",
        "Unemployment in the town doubled in two years, from 3.1 to 6.2 per cent, Varn said.",
        "Varn said on Monday that she will stay. Unemployment in the town doubled in two years.",
    ],
)
def test_proof_denials_and_other_sentences_of_the_speaker_are_evidence(text: str) -> None:
    assert not repeats(CLAIM, Passage(text, NEWS, "Mayor Varn"))


def test_a_claim_that_names_its_speaker_may_be_about_his_words() -> None:
    claim = "Mayor Varn said that unemployment in the town doubled."
    assert not repeats(claim, Passage(claim, NEWS, "Mayor Varn"))


def test_he_is_the_speaker_where_the_passage_names_him() -> None:
    text = "Corvin Varn spoke in the evening. Unemployment in the town, he said, doubled in two years."
    assert repeats(CLAIM, Passage(text, NEWS, "Corvin Varn"))
    assert not repeats(CLAIM, Passage(text.replace("Varn", "Roe"), NEWS, "Corvin Varn"))
