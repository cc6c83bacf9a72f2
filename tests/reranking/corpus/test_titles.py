"""A text names pages by their titles: in whole words, the longest, without brackets, and kept on disk."""

from pathlib import Path

import pytest

from src.records import Paragraph
from src.reranking.corpus.titles import Titles

TITLES = ["Lund", "Lund Cathedral", "Cold (novel)", "Cold (film)", "A.B.C. $", "R&amp;B", "", "Élan_Vital", "Ann-Marie",
          "It (novel)", "1984", "(What a Story)", "東京"]  # fmt: skip


def titles(*names: str) -> Titles:
    return Titles.of([Paragraph(name, "") for name in names or TITLES])


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("A town: Lund.", ["Lund"]),
        ("It lies in Lunds way, by blund.", []),
        ("They met in LUND CATHEDRAL, Lund.", ["Lund Cathedral", "Lund"]),
        ("She wrote Cold.", ["Cold (novel)", "Cold (film)"]),
        ("It was cold.", []),
        ("He sings R&B in a.b.c. $ and élan vital.", ["R&amp;B", "A.B.C. $", "Élan_Vital"]),
        ("Ann-Marie is not Ann, nor Marie.", ["Ann-Marie"]),
        ("Lund, Lund and Lund", ["Lund"]),
        ("Lund's mayor met a Lund-based firm", ["Lund"]),
        ("It rained in 1984. What a story!", []),
        ("She sang (What a Story) in 東京", ["(What a Story)", "東京"]),
        ("", []),
    ],
)
def test_titles_that_a_text_names(text: str, named: list[str]) -> None:
    assert [TITLES[place] for place in titles().named(text)] == named


def test_no_text_names_anything_where_there_are_no_titles() -> None:
    assert titles("", "...").named("Lund ...") == []


def test_titles_are_kept_and_made_again_for_another_corpus(tmp_path: Path) -> None:
    path = tmp_path / "titles"
    one, other = [Paragraph("Lund", "")], [Paragraph("Berg", ""), Paragraph("Lund", "")]
    assert Titles.cached(one, path, {"corpus": "1"}).named("Lund") == [0]
    assert Titles.cached([], path, {"corpus": "1"}).named("Lund") == [0]
    assert Titles.cached(other, path, {"corpus": "2"}).named("Lund") == [1]


def test_a_title_of_many_brackets_takes_no_time() -> None:
    hostile = "Lund " + "(" * 200_000 + " " * 200_000
    assert titles("Lund", hostile, hostile + ")").named("Lund") == [0]
