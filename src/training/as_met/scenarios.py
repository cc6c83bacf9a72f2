"""Written scenarios as claims with passages: the pages that are shown decide the label, each label as often.

    Supported            one or two pages that support the claim
    Refuted              one or two that refute it
    Conflicting          a page that makes it half true, or one of each side that are not versions of one page
    Not Enough Evidence  none of these; in a part of cases what else those pages say

Beside these are shown pages that settle nothing, pages that repeat the claim, and pages of similar scenarios.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

from src.records import VERDICTS, Verdict
from src.stance.records import Passage
from src.text import same
from src.training.as_met.among import Others
from src.training.as_met.records import SCENARIOS, MetClaim
from src.training.scenarios.read import is_held_out, read_scenarios
from src.training.scenarios.records import Page, Scenario
from src.training.scenarios.windows import anywhere, beside, deciding

TWO, SILENT, REPEATED, FOREIGN, BESIDE, PARTIAL = 0.35, 0.75, 0.5, 0.4, 0.35, 0.5  # shares of the cases
MOST_FOREIGN = 2


def scenario_claims(folder: Path, seed: int, copies: int = 1, *, held_out: bool = True) -> list[MetClaim]:
    """Return each scenario with every label, `copies` times; of the held-out ones, or of the others.

    Raises InputError.
    """
    scenarios = read_scenarios(folder)
    pages = [(one.claim, page) for one in scenarios for page in one.silent]
    others = Others((claim, Passage(f"{page.title} {page.text}")) for claim, page in pages)
    found = []
    for one in scenarios:
        if is_held_out(one) is held_out:
            draw = Random(f"{seed}\n{one.id}")
            near = others.of(_claim(one, [Passage(page.text) for page in one.silent], Verdict.SUPPORTED))
            found += [_met(one, label, near, draw) for _ in range(copies) for label in VERDICTS]
    return found


def single_passages(folder: Path, seed: int, *, held_out: bool = True) -> list[MetClaim]:
    """Return passages of all pages, each alone with its claim. Raises InputError."""
    return [
        one
        for scenario in read_scenarios(folder)
        if is_held_out(scenario) is held_out
        for one in _alone(scenario, Random(f"{seed}\n{scenario.id}\nalone"))
    ]


def _alone(one: Scenario, draw: Random) -> Iterator[MetClaim]:
    decided = {Verdict.SUPPORTED: one.supports, Verdict.REFUTED: one.refutes, Verdict.CONFLICTING: one.partial}
    for label, pages in decided.items():
        for page in pages:
            yield _claim(one, [deciding(page, draw)], label)
    for page in (*one.silent, *one.repeats):
        yield _claim(one, [anywhere(page, draw)], Verdict.NOT_ENOUGH_EVIDENCE)
    for page in (draw.choice(one.supports), draw.choice(one.refutes)):
        if passage := beside(page, draw):
            yield _claim(one, [passage], Verdict.NOT_ENOUGH_EVIDENCE)


def _met(one: Scenario, label: Verdict, near: Sequence[Passage], draw: Random) -> MetClaim:
    shown = _deciding(one, label, draw)
    silent = draw.sample(one.silent, draw.randint(1, len(one.silent)))
    if not shown or draw.random() < SILENT:
        shown += [anywhere(page, draw) for page in silent]
    if draw.random() < REPEATED:
        shown.append(anywhere(draw.choice(one.repeats), draw))
    if near and draw.random() < FOREIGN:
        shown += draw.sample(list(near), min(len(near), draw.randint(1, MOST_FOREIGN)))
    draw.shuffle(shown)
    return _claim(one, list(dict.fromkeys(shown)), label)


def _deciding(one: Scenario, label: Verdict, draw: Random) -> list[Passage]:
    if label is Verdict.NOT_ENOUGH_EVIDENCE:
        pages = draw.sample([*one.supports, *one.refutes], 1 if draw.random() < BESIDE else 0)
        return [passage for page in pages if (passage := beside(page, draw))]
    return [deciding(page, draw) for page in _pages(one, label, draw)]


def _pages(one: Scenario, label: Verdict, draw: Random) -> list[Page]:
    if label is Verdict.CONFLICTING:
        if one.partial and draw.random() < PARTIAL:
            return [draw.choice(one.partial)]
        first, second = draw.choice([(0, 1), (1, 0), (1, 1)])
        return [one.supports[first], one.refutes[second]]
    own = one.supports if label is Verdict.SUPPORTED else one.refutes
    return draw.sample(own, 2 if draw.random() < TWO else 1)


def _claim(one: Scenario, passages: list[Passage], label: Verdict) -> MetClaim:
    return MetClaim(SCENARIOS, same(one.claim), one.claim, passages, label)
