"""Corpora are recombined as promised, and figures are computed as said."""

from bench.corpus import BuildCost, HoverClaim, Quality, QueryCost, Size, growth, recombined, shares
from src.records import Paragraph

REAL = [Paragraph("A", "One stood here. Two fell."), Paragraph("B", "Three left.")]


def test_corpora_are_seeded_and_of_real_sentences() -> None:
    sentences = list(recombined(REAL, 40, seed=1))
    assert sentences == list(recombined(REAL, 40, seed=1)) != list(recombined(REAL, 40, seed=2))
    assert {one.title for one in sentences} <= {f"{title} {number}" for title in "AB" for number in range(40)}
    assert len({one.title for one in sentences}) == 40
    texts = " ".join(one.text for one in sentences)
    assert texts.count("One stood here.") + texts.count("Two fell.") + texts.count("Three left.") == texts.count(".")


def test_growth_is_an_exponent() -> None:
    small = Size(10, BuildCost(1.0, 100, 0, 8), QueryCost(1.0, 0.0, 2.0, 0.0, 0, 0.0, 0))
    large = Size(1000, BuildCost(100.0, 1000, 0, 8), QueryCost(10000.0, 0.0, 20.0, 0.0, 0, 0.0, 0))
    assert growth(small, large) == {"make": 1.0, "memory": 0.5, "index": 0.0, "open": 2.0, "query": 0.5}


def testshares_are_of_titles_that_support_the_claim() -> None:
    claims = [HoverClaim("x", [("A", 0), ("A", 1), ("B", 0)]), HoverClaim("y", [("C", 0)])]
    ranked = [["A", *map(str, range(9)), "B"], ["D"]]
    assert shares(claims, ranked) == Quality(0.25, 0.5)
