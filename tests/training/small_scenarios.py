"""Scenarios about shops of small towns, for tests."""

from pathlib import Path

from src.store import encode_lines
from src.training.passages.scenarios import Page, Scenario

TOWNS = (
    "Oster", "Brell", "Camden", "Dorn", "Elm", "Farrow", "Gant", "Holm", "Inver", "Jarrow", "Kern", "Lund", "Marl",
    "Norr", "Orrin", "Pell", "Quorn", "Rill", "Stow", "Tarn",
)  # fmt: skip


def page(site: str, title: str, text: str, key: str = "") -> Page:
    return Page(f"{site}.example", title, text, key)


def scenario(town: str) -> Scenario:
    """A scenario with three sentences on each page, the second of which decides."""

    def two(site: str, first: str, second: str) -> Page:
        return page(site, f"{site} of {town}", f"{first} {second}", first)

    def news(fact: str) -> Page:
        return page(
            "news", f"News of {town}", f"The council met. {fact} Nobody objected. The next item was rain.", fact
        )

    return Scenario(
        id=f"shops-{town}",
        claim=f"The shop in {town} has closed.",
        date="2024-01-02",
        skill="event",
        supports=[
            news(f"The only shop of {town} shut its doors for good."),
            two("list", f"No shop is left in {town}.", "The bakery went in May."),
        ],
        refutes=[
            news(f"The only shop of {town} opened an hour earlier today."),
            two("card", f"I bought this card in {town}'s shop today.", "It rained."),
        ],
        silent=[page("plan", f"A plan for {town}", f"The shop in {town} may close. A decision is due in June.")],
        repeats=[page("chat", "Chat", f"Everyone says the shop in {town} has closed! Share this.")],
        partial=[two("hours", "The shop is shut.", f"It opens at nine each day in {town}.")],
    )


def write_scenarios(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "shops.jsonl").write_bytes(encode_lines(scenario(town) for town in TOWNS))
    return folder
