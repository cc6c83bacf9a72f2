"""Synthetic passages with figures or dates, and claims about them that are true, false or undecided.

    change     a figure of two years: doubled, halved, rose, fell by about a third
    threshold  one figure: more than, below, at least, about
    part       some of a whole: most, a quarter, more than a percentage
    two        a figure of two places: higher, at least twice
    dates      a period: before, after, for over ten years

Claims that are neither clearly true nor clearly false are left out. Each wording of a claim is true as often as false,
so the claim alone reveals nothing. Without the figure or date that decides it, a claim has not enough evidence.

Limitations: the examples are made of templates about a few dozen things.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import NamedTuple

from src.training.entailment.examples import CONTRADICTED, ENTAILED, NEUTRAL, EntailmentExample

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
_SHARES = ((0.25, "a quarter"), (1 / 3, "a third"), (0.5, "half"), (2 / 3, "two thirds"), (0.75, "three quarters"))
KIND = "figures"
LACKING = 0.2  # share of the passages without a figure


class Thing(NamedTuple):
    """Quantity that passages report.

    `name`: what is measured; can begin a sentence.
    `unit`: text after the figure.
    `low`, `high`: bounds of the figure.
    """

    name: str
    unit: str
    low: float
    high: float

    @property
    def is_percentage(self) -> bool:
        return self.unit == " percent"


class Group(NamedTuple):
    """Group of people or things (`name`), and what some of them do (`does`)."""

    name: str
    does: str


class Work(NamedTuple):
    """Something that opens and closes (`name`), and the verbs for opening and closing it."""

    name: str
    opened: str
    closed: str


class Topics(NamedTuple):
    """The quantities, groups and works that passages are about."""

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


class Statement(NamedTuple):
    """Claim about a passage.

    `wording`: name of the template; claims that differ only in names and figures share it.
    `claim`: the text of the claim.
    `is_true`: True if the passage shows that the claim is true, False if it shows that the claim is false.
    """

    wording: str
    claim: str
    is_true: bool


class Case(NamedTuple):
    """Passage with claims about it.

    `passage`: text that shows for each claim whether it is true.
    `lacking`: the text without a figure or date that every claim depends on; it decides none of them.
    `claims`: the claims.
    """

    passage: str
    lacking: str
    claims: list[Statement]


def change(topics: Topics, draw: Random) -> Case:
    """Draw a passage with a quantity in two years, and claims about its change."""
    thing, first = draw.choice(topics.things), draw.randint(1985, 2015)
    second = first + draw.randint(1, 9)
    before = _figure(thing, draw)
    after = _rounded(before * draw.choice([0.33, 0.5, 0.67, 0.75, 0.9, 1.1, 1.25, 1.5, 2, 2.6, 3, 4.1]), thing)
    if after == before or (thing.is_percentage and after > 95):
        return change(topics, draw)
    a, b, name = _worded(before, thing), _worded(after, thing), thing.name
    passage = draw.choice(
        [
            f"{_capital(name)} was {a} in {first} and {b} in {second}.",
            f"In {second}, {name} was {b}, compared with {a} in {first}.",
            f"From {first} to {second}, {name} went from {a} to {b}.",
            f"{_capital(name)} was {b} in {second}; it had been {a} in {first}.",
            f"Records put {name} at {a} for {first} and at {b} for {second}.",
        ]
    )
    lacking = draw.choice([f"In {second}, {name} was {b}.", f"{_capital(name)} was {a} in {first}."])
    return Case(passage, lacking, [*_changes(_capital(name), first, second, after / before, thing)])


def _changes(name: str, first: int, second: int, ratio: float, thing: Thing) -> Iterator[Statement]:
    """Yield the claims about a change. `ratio` is the later figure divided by the earlier one."""
    yield Statement("rose", f"{name} rose from {first} to {second}.", ratio > 1)
    yield Statement("fell", f"{name} has fallen since {first}.", ratio < 1)
    yield Statement("was higher", f"{name} was higher in {first} than in {second}.", ratio < 1)
    yield Statement("is higher", f"In {second}, {name[0].lower()}{name[1:]} was higher than in {first}.", ratio > 1)
    yield Statement("more than doubled", f"{name} has more than doubled since {first}.", ratio > 2)
    if thing.is_percentage:
        return
    for wording, wanted in (
        ("doubled between", 2),
        ("tripled between", 3),
        ("was halved between", 0.5),
        ("rose by about a quarter between", 1.25),
        ("fell by about a third between", 0.67),
        ("rose by about half between", 1.5),
    ):
        off = abs(ratio / wanted - 1)
        if off < 0.03 or off > 0.15:
            yield Statement(wording, f"{name} {wording} {first} and {second}.", off < 0.03)


def threshold(topics: Topics, draw: Random) -> Case:
    """Draw a passage with a quantity in one year, and claims that it is above or below a limit."""
    thing, year = draw.choice(topics.things), draw.randint(1990, 2022)
    value = _figure(thing, draw)
    limit = _rounded(value * draw.choice([0.5, 0.7, 0.85, 0.98, 1.02, 1.2, 1.5, 2]), thing)
    if limit == value or (thing.is_percentage and limit > 95):
        return threshold(topics, draw)
    name, figure, other = thing.name, _worded(value, thing), _worded(limit, thing)

    def passage(at: int) -> str:
        return draw.choice(
            [
                f"In {at}, {name} was {figure}.",
                f"For {at}, the office reports {figure} as {name}.",
                f"{_capital(name)} was {figure} at the end of {at}.",
            ]
        )

    claims = [
        Statement("more than", f"{_capital(name)} was more than {other} in {year}.", value > limit),
        Statement("less than", f"{_capital(name)} was less than {other} in {year}.", value < limit),
        Statement("over", f"In {year}, {name} was over {other}.", value > limit),
        Statement("below", f"In {year}, {name} was below {other}.", value < limit),
        Statement("at least", f"{_capital(name)} was at least {other} in {year}.", value >= limit),
    ]
    is_near = abs(limit / value - 1) < 0.03
    if is_near or abs(limit / value - 1) > 0.1:
        claims.append(Statement("about", f"{_capital(name)} was about {other} in {year}.", is_near))
    return Case(passage(year), passage(year + draw.choice([-4, -3, 3, 5])), claims)


def part(topics: Topics, draw: Random) -> Case:
    """Draw a passage on how many of a group do something, and claims about their share."""
    group = draw.choice(topics.groups)
    total = draw.choice([12, 24, 36, 48, 60, 120, 240, 300, 480, 900, 1200, 3600])
    count = max(1, round(total * draw.choice([0.08, 0.25, 1 / 3, 0.42, 0.5, 0.58, 2 / 3, 0.75, 0.92])))
    share, limit = count / total, draw.choice([10, 20, 30, 40, 60, 70, 80])
    passage = draw.choice(
        [
            f"Of {total:,} {group.name}, {count:,} {group.does}.",
            f"{count:,} of the {total:,} {group.name} {group.does}.",
            f"There are {total:,} {group.name}; {count:,} of them {group.does}.",
        ]
    )
    lacking = draw.choice(
        [
            f"There are {total:,} {group.name}; how many of them {group.does} is not known yet.",
            f"In all, {count:,} {group.name} {group.does}.",
        ]
    )
    rest = f"of the {group.name} {group.does}."
    claims = [Statement(name, f"{_capital(name)} {rest}", abs(share - value) < 0.02) for value, name in _SHARES]
    claims += [
        Statement("more than percent", f"More than {limit} percent {rest}", 100 * share > limit),
        Statement("less than percent", f"Less than {limit} percent {rest}", 100 * share < limit),
    ]
    if share != 0.5:
        claims.append(Statement("most", f"Most {rest}", share > 0.5))
        claims.append(Statement("fewer than half", f"Fewer than half {rest}", share < 0.5))
    return Case(passage, lacking, claims)


def two(topics: Topics, draw: Random) -> Case:
    """Draw a passage with a quantity in two places, and claims that compare them."""
    a, b = draw.sample(PLACES, 2)
    thing = draw.choice(topics.things)
    x, y = _figure(thing, draw), _figure(thing, draw)
    if abs(x - y) < 0.1 * max(x, y):
        return two(topics, draw)
    name, of_a, of_b = thing.name, _worded(x, thing), _worded(y, thing)
    passage = draw.choice(
        [
            f"In {a}, {name} is {of_a}; in {b} it is {of_b}.",
            f"{_capital(name)}: {a} {of_a}, {b} {of_b}.",
            f"While {name} is {of_a} in {a}, it is {of_b} in {b}.",
        ]
    )
    claims = [
        Statement("higher", f"{_capital(name)} is higher in {a} than in {b}.", x > y),
        Statement("lower", f"{_capital(name)} is lower in {a} than in {b}.", x < y),
        Statement("greater", f"In {b}, {name} is greater than in {a}.", y > x),
        Statement("twice", f"{_capital(name)} in {a} is at least twice that in {b}.", x >= 2 * y),
    ]
    return Case(passage, f"In {a}, {name} is {of_a}.", claims)


def dates(topics: Topics, draw: Random) -> Case:
    """Draw a passage with the years in which something opened and closed, and claims about these years."""
    work = draw.choice(topics.works)
    name, first = _capital(work.name), draw.randint(1890, 2000)
    last = first + draw.randint(3, 60)
    month = draw.choice(["March ", "the autumn of ", ""])
    passage = draw.choice(
        [
            f"{name} {work.opened} in {month}{first} and {work.closed} in {last}.",
            f"{name}, which {work.opened} in {first}, {work.closed} in {last}.",
            f"In {first} {work.name} {work.opened}. In {last} it {work.closed}.",
        ]
    )
    lacking = draw.choice(
        [
            f"{name} {work.closed} for lack of money; the building is for sale.",
            f"There are plans for the site of {work.name}, which {work.closed} some time ago.",
        ]
    )
    year, end = (at + draw.choice([-1, 1]) * draw.randint(1, 12) for at in (first, last))
    years, decade = draw.choice([2, 5, 10, 20, 30, 40]), (first + draw.choice([0, 0, -20, -10, 10])) // 10 * 10
    claims = [
        Statement("opened before", f"{name} {work.opened} before {year}.", first < year),
        Statement("opened after", f"{name} {work.opened} after {year}.", first > year),
        Statement("decade", f"{name} {work.opened} in the {decade}s.", first // 10 * 10 == decade),
        Statement("closed before", f"{name} {work.closed} before {end}.", last < end),
        Statement("still", f"{name} was still in operation in {end}.", first <= end < last),
    ]
    if last - first != years:
        claims.append(Statement("years", f"{name} was in operation for over {years} years.", last - first > years))
    return Case(passage, lacking, claims)


KINDS: tuple[Callable[[Topics, Random], Case], ...] = (change, threshold, part, two, dates)


def _figure(thing: Thing, draw: Random) -> float:
    """Draw a figure between the quantity's bounds, uniformly on a logarithmic scale."""
    return _rounded(thing.low * (thing.high / thing.low) ** draw.random(), thing)


def _rounded(value: float, thing: Thing) -> float:
    """Round a figure of the quantity as a passage gives it: to tenths, ones or tens."""
    if thing.high < 200 and thing.unit:
        return round(value, 1)
    return float(round(value)) if thing.high < 5_000 else float(round(value, -1))


def _worded(value: float, thing: Thing) -> str:
    return f"{value:,.{0 if value == int(value) else 1}f}{thing.unit}"


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def figure_examples(count: int, seed: int) -> list[EntailmentExample]:
    """Return `count` training examples of synthetic passages with figures or dates."""
    return _made(count, LEARNED, Random(f"{seed}\nfigures"))


def held_out_figures(count: int) -> list[EntailmentExample]:
    """Return `count` held-out examples with figures or dates: templates as in training, about other subjects."""
    return _made(count, HELD_OUT, Random("held-out figures"))


def _made(count: int, topics: Topics, draw: Random) -> list[EntailmentExample]:
    """Draw `count` examples; a share LACKING of them has a passage that decides nothing."""
    examples: list[EntailmentExample] = []
    ahead: Counter[str] = Counter()  # true minus false examples of each wording
    while len(examples) < count:
        case = draw.choice(KINDS)(topics, draw)
        if draw.random() < LACKING:
            examples.append(_example(case.lacking, draw.choice(case.claims), NEUTRAL, draw))
        elif (one := _most_wanted(case, ahead, draw)) is not None:
            ahead[one.wording] += 1 if one.is_true else -1
            examples.append(_example(case.passage, one, ENTAILED if one.is_true else CONTRADICTED, draw))
    return examples


def _most_wanted(case: Case, ahead: Counter[str], draw: Random) -> Statement | None:
    """Draw a claim that keeps its template balanced between true and false; return None if there is none.

    A true claim is allowed if its template has no more true than false examples so far, and vice versa. `ahead` has
    the number of true minus false examples of each template.
    """
    wanted = [one for one in case.claims if (ahead[one.wording] <= 0 if one.is_true else ahead[one.wording] >= 0)]
    return draw.choice(wanted) if wanted else None


def _example(passage: str, one: Statement, label: int, draw: Random) -> EntailmentExample:
    shown = [passage, *draw.sample(BESIDE, draw.choice([0, 0, 1, 2]))]
    draw.shuffle(shown)
    return EntailmentExample(KIND, (one.claim, [("", " ".join(shown))]), label)
