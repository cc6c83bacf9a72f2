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
        ("Eels swim to the Sargasso Sea.", ("Sargasso Sea",)),
        ("Eels swim to the sea.", ()),
        ("The mayor of London retired in 1987.", ("London",)),
        ("An image shared on Facebook shows Anton Weiss.", ("Facebook", "Anton Weiss")),
        ("In London, 40 people died of measles.", ("London",)),
        ("In 1987 the council praised Anton Weiss.", ("Anton Weiss",)),
        ("A Congressman introduced a bill in 1987.", ()),
        ("One Magistrate serves 77,000 people.", ()),
        ("The club plans a protest on Saturday.", ()),
        ("In May the club closed.", ()),
        ("Water boils at 100 degrees Celsius.", ()),
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
        ("Martin Weiss Jr. retired in 1987.", "Weiss retired in 2001."),
        ("Queen Elena II visited Hexley in 1987.", "Queen Elena came in 1987."),
        ("The World Health Organization was founded in 1948.", "The WHO began its work in 1948."),
        ("WHO was founded in 1948.", "The World Health Organization began its work in 1948."),
        ("The U.S. Centers for Disease Control counted the cases.", "The CDC counted 300."),
        ("Apple Inc. bought Beats in 2014.", "Apple bought Beats for $3 billion."),
        ("Ford Motor Company was founded in 1903.", "Ford began in 1903."),
        ("The Amazon River is 6,400 km long.", "The Amazon has a length of 6,400 km."),
        ("The Bank of America was founded in 1904.", "It began in America as the Bank of Italy."),
        ("The University of Oxford has 24,000 students.", "Oxford has 24,000 students."),
        ("The United States has three oceans.", "Americans know three oceans."),
        ("US has three oceans.", "The United States have three."),
        ("Nigeria has three rivers.", "Nigerians know three rivers."),
        ("China has three rivers.", "The Chinese know three rivers."),
        ("Netherlands has three rivers.", "Dutch rivers are three."),
        ("Democrats voted for it.", "The Democratic Party voted for it."),
        ("Alma Otto-Cray voted for it.", "AOC voted against it."),
        ("COVID-19 is a cold.", "The covid pandemic began in 2019."),
        ("In 1987 the town praised Anton Weiss and Carla Stone.", "Carla Stone was praised in 1987."),
        ("The US vice-president Joe Biden is ill.", "Biden seems to be ill."),
        ("Eels swim to the sea.", "Trout stay in the river."),
        ("Anton F. Weiss retired in 1987.", "AFW retired in 2001."),
        ("AFW retired in 1987.", "Anton F. Weiss retired in 2001."),
        ("Coca-Cola contained wine.", "There was wine in Coca-Cola."),
        ("AT&T bought Beats.", "In 2018 AT & T bought it."),
        ("Russia-Ukraine talks failed in 2022.", "Talks with Ukraine failed."),
        ("Alma Otto-Cray voted for it.", "Cray voted against it."),
    ],
)
def test_a_passage_that_names_it(claim: str, text: str) -> None:
    assert unnamed_subject(claim, [Passage(text)]) == ""


@pytest.mark.parametrize(
    ("claim", "name", "text"),
    [
        (WEISS, "Anton Weiss", "Carla Stone retired in 2001."),
        (WEISS, "Anton Weiss", "Anton Berg retired in 1987."),
        ("COVID-19 is a cold.", "COVID-19", "In 19 towns a cold was met."),
        ("US has three oceans.", "US", "He told us that it has three oceans."),
        ("In 1987 the council praised Anton Weiss.", "Anton Weiss", "The council praised Carla Stone."),
        ("The mayor of Hexley took bribes.", "Hexley", "The mayor of Bristow took no bribes."),
        ("The vaccine Covarix caused deaths in Hexley.", "Covarix", "The vaccine Tetravac caused no deaths in Hexley."),
        ("The IT counted 300 cases.", "IT", "It counted 300 cases, the town says."),
        ("New York City has 8 million people.", "New York City", "The city of Hexley has 8 million people."),
        ("The Bank of America was founded in 1904.", "Bank of America", "The bank of Hexley was founded in 1904."),
        ("U.S. President Anton Weiss is ill.", "U.S. President Anton Weiss", "The US has a president."),
        ("Coca-Cola contained wine.", "Coca-Cola", "The lemonade contained no wine."),
        ("Jean-Claude Berg resigned in 2013.", "Jean-Claude Berg", "Claude Stone resigned in 2013."),
        ("AT&T bought Beats.", "AT&T", "I don't think T. rex bought it."),
        ("AT&T bought Beats.", "AT&T", "The TA bought nothing."),
        ("US Senator Anton Weiss is ill.", "US Senator Anton Weiss", "The US has a senate."),
        ("The DC counts 700,000 people.", "DC", "They need vitamin D. Children need more."),
        ("Hexley University has 24,000 students.", "Hexley University", "Bristow University has 24,000 students."),
    ],
)
def test_no_passage_names_it(claim: str, name: str, text: str) -> None:
    assert unnamed_subject(claim, [Passage("The sea is deep."), Passage(text)]) == name


def test_one_passage_that_names_it_is_enough() -> None:
    assert unnamed_subject(WEISS, [Passage("Carla Stone retired in 2001."), Passage("Weiss is a baker.")]) == ""
