"""What is asked for a claim: its words, speaker, month and a hypothetical fact-check, as far as they are there."""

import pytest

from src.records import Claim
from src.reranking.hybrid.retrieval import Query, month, queries, texts
from src.reranking.hybrid.settings import Settings

SETTINGS = Settings(speaker=0.5, date=0.25, hypothetical=2.0)
CLAIM = Claim("The river froze.", 0, speaker="Ada Byron", claim_date="31-10-2020")


def test_each_query_with_its_weight_the_claim_first() -> None:
    assert queries(CLAIM, "Ice was seen.", SETTINGS) == [
        Query(["river", "froze"], 1.0),
        Query(["ada", "byron"], 0.5),
        Query(["octob", "2020"], 0.25),
        Query(["ice", "seen"], 2.0),
    ]


@pytest.mark.parametrize("speaker", [None, "", " ", "..."])
@pytest.mark.parametrize("date", [None, "", "in autumn", "31-02-2020"])
def test_missing_speaker_and_date_make_no_query(speaker: str | None, date: str | None) -> None:
    claim = Claim("The river froze.", 0, speaker=speaker, claim_date=date)
    assert queries(claim, "", SETTINGS) == [Query(["river", "froze"], 1.0)]


def test_a_weight_of_0_switches_a_query_off() -> None:
    only = queries(CLAIM, "Ice was seen.", Settings(speaker=0, date=0, hypothetical=0))
    assert [query.words for query in only] == [["river", "froze"]]


@pytest.mark.parametrize("claim", ["", "is it the?", "\U0001f6a2 !?"])
def test_a_claim_of_no_words_leaves_the_others(claim: str) -> None:
    result = queries(Claim(claim, 0, speaker="Ada"), "", SETTINGS)
    assert result == [Query(["ada"], 0.5)]


@pytest.mark.parametrize(
    ("date", "words"),
    [("31-10-2020", "October 2020"), (" 1-1-1999\n", "January 1999"), ("2020-10-31", ""), ("31/10/2020", ""),
     ("0-0-0000", ""), ("31-10-20", ""), (None, "")],
)  # fmt: skip
def test_months_as_pages_write_them(date: str | None, words: str) -> None:
    assert month(date) == words


def test_the_encoder_reads_claim_and_fact_check() -> None:
    assert texts(Claim("  The river froze. ", 0), "", SETTINGS) == ["The river froze."]
    assert texts(CLAIM, "Ice was seen.", SETTINGS) == ["The river froze.", "Ice was seen."]
    assert texts(CLAIM, "Ice was seen.", Settings(hypothetical=0)) == ["The river froze."]
