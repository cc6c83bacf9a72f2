"""Which sentences of an article are claims, and how they read alone."""

import pytest

from src.check.article.claims_of_article import ArticleClaim, claims_of

ARTICLE = (
    """The harbor of Hexley Bay

Anna Berg became mayor of Hexley Bay in 2019. She opened a new harbor in 2021, which cost 12 million crowns. The mayor
said that the harbor has created 300 jobs. I think it is a beautiful place! Will it last?

The Varn Copper Works closed in 2020. The company had 450 workers. It was founded in 1911. Critics say the harbor is too
large. Berg will open a second harbor next year.

Nils Holm leads the opposition. He and Berg met in May. He said it was a waste. This led to protests in Oslo.
""".replace("\n\n", "\0")
    .replace("\n", " ")
    .replace("\0", "\n\n")
)


def test_claims_read_alone_and_have_their_speakers() -> None:
    found = claims_of(ARTICLE, 20)
    assert [(one.number, one.claim, one.speaker) for one in found.claims] == [
        (2, "Anna Berg became mayor of Hexley Bay in 2019.", ""),
        (3, "Anna Berg opened a new harbor in 2021, which cost 12 million crowns.", ""),
        (4, "The harbor has created 300 jobs.", "Anna Berg"),
        (7, "The Varn Copper Works closed in 2020.", ""),
        (8, "The Varn Copper Works had 450 workers.", ""),
        (9, "The Varn Copper Works was founded in 1911.", ""),
        (12, "Nils Holm leads the opposition.", ""),
        (13, "Nils Holm and Anna Berg met in May.", ""),
    ]
    assert found.claims[1].sentence.startswith("She opened")


def test_other_sentences_have_their_reasons() -> None:
    assert [(one.sentence, one.reason) for one in claims_of(ARTICLE, 20).left_out] == [
        ("The harbor of Hexley Bay", "no statement"),
        ("I think it is a beautiful place!", "an opinion"),
        ("Will it last?", "a question"),
        ("Critics say the harbor is too large.", "names and counts nothing"),
        ("Berg will open a second harbor next year.", "a prediction, a wish or a possibility"),
        ("He said it was a waste.", "'it' is not clear"),
        ("This led to protests in Oslo.", "'This' is not clear"),
    ]


def test_those_with_most_to_check_are_taken_in_their_order() -> None:
    found = claims_of(ARTICLE, 2)
    assert [one.number for one in found.claims] == [2, 3]
    assert "less to check than in others" in {one.reason for one in found.left_out}
    assert [one.number for one in found.left_out] == sorted(one.number for one in found.left_out)


@pytest.mark.parametrize("text", ["", "   \n", "Hello!", "Will it rain? I hope so."])
def test_a_text_without_claims(text: str) -> None:
    assert claims_of(text, 5).claims == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Anna Berg met Eva Holm in Oslo. She won 12 prizes.", "'She' is not clear"),
        ("Anna Berg and Nils Holm own 12 boats. He sold 3 of them in 2020.", "'He' is not clear"),
        ("Eels swim far. They reach 3 seas.", "'They' is not clear"),
    ],
)
def test_where_a_name_is_not_clear_the_sentence_is_not_checked(text: str, reason: str) -> None:
    found = claims_of(text, 5)
    assert reason in {one.reason for one in found.left_out}


def test_a_sentence_in_another_language_is_not_checked() -> None:
    german = "Nils Holm hat im Jahr 2019 zwei neue Boote gekauft und damit viel Geld verdient."
    found = claims_of(f"Nils Holm has 12 boats.\n{german}", 5)
    assert [one.claim for one in found.claims] == ["Nils Holm has 12 boats."]
    assert found.left_out[-1].reason == "not in English"


def test_a_speaker_is_named_without_the_office() -> None:
    (claim,) = claims_of("The opposition leader, Jan Kest, said that Oslo has 3 harbors.", 5).claims
    assert (claim.claim, claim.speaker) == ("Oslo has 3 harbors.", "Jan Kest")


def test_that_in_a_relative_clause_is_clear() -> None:
    (claim,) = claims_of("The company that built the 3 harbors of Oslo closed in 2020.", 5).claims
    assert claim.claim == "The company that built the 3 harbors of Oslo closed in 2020."


def test_a_claim_is_the_sentence_itself_where_nothing_is_missing() -> None:
    (claim,) = claims_of("Oslo has 700,000 inhabitants.", 5).claims
    assert claim == ArticleClaim(1, "Oslo has 700,000 inhabitants.", "Oslo has 700,000 inhabitants.")
