"""Whether passages name what a claim is about."""

import pytest

from src.stance.records import Passage
from src.stance.subject import subjects, unnamed_subject

WEISS = "Anton Weiss retired in 1987."


@pytest.mark.parametrize(
    ("claim", "names"),
    [
        (WEISS, ("Anton Weiss",)),
        ("The World Health Organization was founded in 1948.", ("World Health Organization",)),
        ("The Lord Mayor, Anton Weiss, is seriously ill.", ("Lord Mayor", "Anton Weiss")),
        ("Eels swim to the Sargasso Sea.", ()),
        ("The mayor of Hexley retired in 1987.", ()),
        ("In 1987 the council praised Anton Weiss.", ()),
        ("A Congressman introduced a bill in 1987.", ()),
        ("One Magistrate serves 77,000 people.", ()),
        ("ANTON WEISS RETIRED IN 1987.", ()),
        ("", ()),
    ],
)
def test_the_name_that_is_the_subject(claim: str, names: tuple[str, ...]) -> None:
    assert tuple(one.name for one in subjects(claim)) == names


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        (WEISS, "Mr. Weiss retired in 2001."),
        (WEISS, "Anton WEISS's last year was 2001."),
        (WEISS, "Weisz retired in 2001."),
        ("The World Health Organization was founded in 1948.", "The WHO began its work in 1948."),
        ("WHO was founded in 1948.", "The World Health Organization began its work in 1948."),
        ("The U.S. Centers for Disease Control counted the cases.", "The CDC counted 300."),
        ("The United States has three oceans.", "Americans know three oceans."),
        ("Alma Otto-Cray voted for it.", "AOC voted against it."),
        ("Nigeria has three rivers.", "Nigerians know three rivers."),
        ("COVID-19 is a cold.", "The covid pandemic began in 2019."),
        ("Eels swim to the Sargasso Sea.", "Trout stay in the river."),
    ],
)
def test_a_passage_that_names_it(claim: str, text: str) -> None:
    assert unnamed_subject(claim, [Passage(text)]) == ""


def test_no_passage_names_it() -> None:
    passages = [Passage("Carla Stone retired in 2001."), Passage("Anton Berg retired in 1987.")]
    assert unnamed_subject(WEISS, passages) == "Anton Weiss"
    assert unnamed_subject("COVID-19 is a cold.", [Passage("In 19 towns a cold was met.")]) == "COVID-19"


def test_one_passage_that_names_it_is_enough() -> None:
    assert unnamed_subject(WEISS, [Passage("Carla Stone retired in 2001."), Passage("Weiss is a baker.")]) == ""
