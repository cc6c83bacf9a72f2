"""Which names are put into a sentence for pronouns, short names and nouns, and which are not."""

import pytest

from src.check.article.claims_of_article import claims_of


def last_claim(text: str) -> str:
    """Return the claim of the last sentence, or why it is not checked."""
    found = claims_of(text, 50)
    results = {**{one.number: one.claim for one in found.claims}, **{one.number: one.reason for one in found.left_out}}
    return results[max(results)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "The Kessel Bridge was closed in 2022. Repairs cost 9 million crowns. The bridge was built in 1931.",
            "The Kessel Bridge was built in 1931.",
        ),
        (
            "The Linden School burned in May. Rosa Feld has led the school since 2010.",
            "Rosa Feld has led the Linden School since 2010.",
        ),
        (
            "The village of Ulmen has no doctor. The village has 1,900 inhabitants.",
            "The village of Ulmen has 1,900 inhabitants.",
        ),
        (
            "The Kessel Bridge is closed. The Tarn Bridge is open. The bridge was built in 1931.",
            "The bridge was built in 1931.",
        ),
        (
            "The Kessel Bridge is closed. Workers build a new bridge. The bridge cost 9 million crowns.",
            "The bridge cost 9 million crowns.",
        ),
        ("The Kessel Bridge is closed. The old bridge was built in 1931.", "The old bridge was built in 1931."),
        ("Holm reads the Kessel Post. The post had 12 pages in 2019.", "The post had 12 pages in 2019."),
    ],
)
def test_a_noun_is_replaced_by_the_one_name_that_has_it(text: str, expected: str) -> None:
    assert last_claim(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Anton Weiss founded a bakery in 1987. Anton was 19 years old.", "Anton Weiss was 19 years old."),
        ("Will Smith won 3 awards in 2020.", "Will Smith won 3 awards in 2020."),
        ("Anton Weiss founded a bakery. Mr. Weiss sold 3 shops in 2015.", "Anton Weiss sold 3 shops in 2015."),
        (
            "Anton Weiss met Anton Holm in Oslo. Anton was 19 years old.",
            "Anton was 19 years old.",
        ),
        (
            "Anton Weiss founded a bakery in 1987. The Weiss family owns 12 shops.",
            "The Weiss family owns 12 shops.",
        ),
    ],
)
def test_a_person_called_by_one_name_gets_the_whole_name(text: str, expected: str) -> None:
    assert last_claim(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Anna Berg met Nils Holm in May. She won 3 prizes.", "'She' is not clear"),
        ("Anna Berg told Nils Holm of it in May. Holm said that she has 30 boats.", "'she' is not clear"),
        ("Anna Berg won in 2019. A policeman met her in Oslo.", "A policeman met Anna Berg in Oslo."),
        ("Anna Berg won in 2019. A young woman said in Oslo she lost.", "A young woman said in Oslo she lost."),
        ("Anna Berg won in 2019. Before she moved, Eva Holm had 12 boats.", "Before she moved, Eva Holm had 12 boats."),
        ("Nordfrost closed in 2020. They had 450 workers.", "'They' is not clear"),
        ("Anna Berg lives in Oslo. It has 3 harbors.", "'It' is not clear"),
        ("Anna Berg won in 2019. “She had 3 votes more than Eva in Oslo.”", "'She' is not clear"),
        ("The report says Oslo has 3 harbors. It says that Bergen has 2.", "'It' is not clear"),
        ("Nordfrost closed in 2020. It is likely that Oslo has 3 harbors.", "It is likely that Oslo has 3 harbors."),
    ],
)
def test_no_name_is_put_in_where_another_may_be_meant(text: str, expected: str) -> None:
    assert last_claim(text) == expected


def test_a_person_called_she_is_not_he() -> None:
    text = "Anna Berg became mayor in 2019. She met Nils Holm in May. He owns 12 boats."
    assert last_claim(text) == "Nils Holm owns 12 boats."


@pytest.mark.parametrize(
    ("text", "claim", "speaker"),
    [
        ("Anna Berg says that she has owned 12 boats.", "Anna Berg has owned 12 boats.", "Anna Berg"),
        ("Anna Berg said that 30 people died, but police say 3 died.", "30 people died.", "Anna Berg"),
        ("Anna Berg did not say that 30 people died.", "Anna Berg did not say that 30 people died.", ""),
        ("Oslo has 3 harbors, Anna Berg never said.", "Oslo has 3 harbors, Anna Berg never said.", ""),
        ("Nobody said that 30 people died.", "Nobody said that 30 people died.", ""),
        ("The ferry sank in 2019, Anna Berg said.", "The ferry sank in 2019.", "Anna Berg"),
        ("“The ferry sank in 2019,” Anna Berg said.", "The ferry sank in 2019.", "Anna Berg"),
        ("“The town\u2019s ferry sank in 2019,” Anna Berg said.", "The town\u2019s ferry sank in 2019.", "Anna Berg"),
        (
            "“The workers\u2019 ferry sank in 2019,” Anna Berg said.",
            "The workers\u2019 ferry sank in 2019.",
            "Anna Berg",
        ),
        ("'The ferry sank in 2019,' said Anna Berg.", "The ferry sank in 2019.", "Anna Berg"),
        ("'Cats' had 7 prizes in 2019, said Anna Berg.", "'Cats' had 7 prizes in 2019.", "Anna Berg"),
        ("“Our ferry sank in 2019,” Anna Berg said.", "“Our ferry sank in 2019,” Anna Berg said.", ""),
    ],
)
def test_what_is_said_is_the_claim(text: str, claim: str, speaker: str) -> None:
    (found,) = claims_of(text, 5).claims
    assert (found.claim, found.speaker) == (claim, speaker)
