"""The topics of synthetic passages: measured things, groups, works that open and close, places, other sentences."""

from collections.abc import Sequence
from typing import NamedTuple


class Thing(NamedTuple):
    """A measured thing. `name` can begin a sentence, `unit` follows the figure, `low` and `high` are its bounds."""

    name: str
    unit: str
    low: float
    high: float

    @property
    def is_percentage(self) -> bool:
        return self.unit == " percent"


class Group(NamedTuple):
    """A group of people or things, and what some of them do."""

    name: str
    does: str


class Work(NamedTuple):
    """Something that opens and closes, and the verbs for both."""

    name: str
    opened: str
    closed: str


class Topics(NamedTuple):
    things: Sequence[Thing]
    groups: Sequence[Group]
    works: Sequence[Work]


LEARNED = Topics(
    (
        Thing("the number of visitors to the castle", "", 4_000, 90_000),
        Thing("the price of a season ticket", " euros", 40, 400),
        Thing("the share of homes with solar panels", " percent", 2, 40),
        Thing("the budget of the county's libraries", " million dollars", 2, 60),
        Thing("the number of bicycle thefts", "", 150, 4_000),
        Thing("the average wait for an operation", " days", 12, 160),
        Thing("the harvest of apples", " tonnes", 300, 9_000),
        Thing("the number of pupils at the school", "", 120, 1_800),
        Thing("the rent of a two-room flat", " pounds a month", 420, 1_900),
        Thing("the water level of the lake", " meters", 3, 40),
        Thing("the company's staff", " people", 30, 7_000),
        Thing("the number of members of the choir", "", 14, 220),
        Thing("turnout in the local election", " percent", 21, 64),
        Thing("the town's debt", " million", 3, 140),
        Thing("the number of cases of measles", "", 12, 900),
        Thing("the fare from the airport", " dollars", 6, 48),
        Thing("the emissions of the cement works", " tonnes", 900, 60_000),
        Thing("the number of night flights", "", 20, 600),
        Thing("the duty on diesel", " cents a liter", 11, 70),
        Thing("the population of the island", "", 800, 52_000),
        Thing("the number of electric vans sold", "", 300, 20_000),
        Thing("the length of the bus network", " kilometers", 35, 900),
    ),
    (
        Group("members", "voted for the merger"),
        Group("pupils", "walk to school"),
        Group("lamps in the old town", "have been replaced"),
        Group("samples", "contained lead"),
        Group("shops in the center", "have no tenant"),
        Group("nurses", "were vaccinated last winter"),
        Group("bridges", "passed the inspection"),
        Group("letters to the council", "opposed the plan"),
    ),
    (
        Work("the swimming pool", "opened", "closed"),
        Work("the tram line", "opened", "closed"),
        Work("the paper mill", "began work", "shut down"),
        Work("the ferry", "entered service", "was scrapped"),
    ),
)
HELD_OUT = Topics(
    (
        Thing("the number of storks in the reserve", "", 16, 700),
        Thing("the number of vacancies at the hospital", "", 14, 500),
        Thing("the cost of the harbor wall", " million euros", 4, 90),
    ),
    (Group("farms in the valley", "keep sheep"), Group("trains", "arrived on time in March")),
    (Work("the radio station", "went on air", "fell silent"), Work("the dairy", "began work", "was closed")),
)
PLACES = ("Norby", "Elmstead", "Vallo", "Quenby", "Hartau", "Lindale", "Ostrova", "Pellworth")
BESIDE = (
    "The figures were presented at a meeting on Tuesday.",
    "Nobody from the office was available for comment.",
    "The report has 48 pages.",
    "A final version is expected in spring.",
    "The council meets again in two weeks.",
    "Questions can be sent to the press office.",
    "Local papers had asked for the data for some time.",
    "The numbers come from the annual statistics.",
    "Opinions in the town differ.",
    "Admission is free for children.",
)
