"""Written scenarios as claims with passages. The shown pages decide the label, and labels are equally frequent.

    Supported            one or two pages that support the claim
    Refuted              one or two pages that refute it
    Conflicting          a page that shows the claim is half true, or a page of each side, not two versions of one page
    Not Enough Evidence  none of these

Other passages are added, up to a number that is drawn in the same way for each label. They are from pages that do not
decide the claim, from the text behind the decisive part of a page, from pages that repeat the claim, and from similar
scenarios. Some decisive passages also quote the claim and answer it ("That is false.").

Limitations: other passages that have such an answer about something else are seldom shown.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from src.records import VERDICTS, Verdict
from src.stance.records import Passage
from src.text import same
from src.training.as_met.among import Others
from src.training.as_met.records import SCENARIOS, MetClaim
from src.training.entailment.restated import quoted_before
from src.training.scenarios.read import is_held_out, read_scenarios
from src.training.scenarios.records import Page, Scenario
from src.training.scenarios.windows import anywhere, beside, deciding, whole

TWO, REPEATED, BESIDE, PARTIAL = 0.35, 0.5, 0.35, 0.5  # shares of the cases
FEWEST, MOST = 2, 6  # passages
FOREIGN = 2
ANSWERED = 0.12  # share of deciding passages that quote the claim and answer it
KEPT = 0.1  # share of passages with an answer about something else that are kept
_ANSWER = re.compile(
    r"\b(false|wrong|untrue|true|incorrect|correct|mistaken|confirm\w*|den(y|ies|ied)|hoax|rumou?r)\b", re.IGNORECASE
)
_ANSWERS = {
    Verdict.SUPPORTED: ("That is true.", "This is correct.", "That has been confirmed.", "The message is right."),
    Verdict.REFUTED: ("That is false.", "This is wrong.", "That is not true.", "The rumor is untrue."),
}


def scenario_claims(folder: Path, seed: int, *, held_out: bool = True) -> list[MetClaim]:
    """Return each scenario with every label, of the held-out scenarios or of the others.

    Raises InputError when a file is invalid.
    """
    own = [one for one in read_scenarios(folder) if is_held_out(one) is held_out]
    others = Others((one.claim, whole(page)) for one in own for page in one.silent)
    found = []
    for one in own:
        draw = Random(f"{seed}\n{one.id}")
        near = others.of(_claim(one, [whole(page) for page in one.silent], Verdict.NOT_ENOUGH_EVIDENCE))
        found += [_met(one, label, near, draw) for label in VERDICTS]
    return found


class LabeledPages(NamedTuple):
    """A claim, whole pages about it, and the verdict that they give."""

    claim: str
    pages: list[Page]
    label: Verdict


def pages_of_claims(folder: Path, seed: int) -> list[LabeledPages]:
    """Return each held-out scenario with every label, with whole pages. Raises InputError when a file is invalid."""
    found = []
    for one in read_scenarios(folder):
        if is_held_out(one):
            draw = Random(f"{seed}\n{one.id}\npages")
            for label in VERDICTS:
                repeated = [draw.choice(one.repeats)] if draw.random() < REPEATED else []
                pages = [*_pages(one, label, draw), *one.silent, *repeated]
                found.append(LabeledPages(one.claim, draw.sample(pages, len(pages)), label))
    return found


def single_passages(folder: Path, seed: int, *, held_out: bool = True) -> list[MetClaim]:
    """Return passages of all pages, each alone with its claim. Raises InputError when a file is invalid."""
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
            yield _claim(one, [_deciding(one, page, label, draw)], label)
    open_ = [anywhere(page, one.claim, draw) for page in (*one.silent, *one.repeats)]
    for passage in [*open_, *_beside(one, [draw.choice(one.supports), draw.choice(one.refutes)], draw)]:
        if _is_kept(passage, draw):
            yield _claim(one, [passage], Verdict.NOT_ENOUGH_EVIDENCE)


def _met(one: Scenario, label: Verdict, near: Sequence[Passage], draw: Random) -> MetClaim:
    pages = _pages(one, label, draw)
    shown = [_deciding(one, page, label, draw) for page in pages]
    silent = [anywhere(page, one.claim, draw) for page in draw.sample(one.silent * 2, 2 * len(one.silent))]
    more = [*silent[1:], *draw.sample(list(near), min(FOREIGN, len(near)))]
    if draw.random() < REPEATED:
        more.append(anywhere(draw.choice(one.repeats), one.claim, draw))
    if draw.random() < BESIDE:
        more += _beside(one, draw.sample(pages or [*one.supports, *one.refutes], 1), draw)
    kept = [passage for passage in more if _is_kept(passage, draw)]
    draw.shuffle(kept)
    first = silent[:1] if not shown or _is_kept(silent[0], draw) else []
    found = list(dict.fromkeys([*shown, *first, *kept]))[: max(len(shown), draw.randint(FEWEST, MOST))]
    draw.shuffle(found)
    return _claim(one, found, label)


def _pages(one: Scenario, label: Verdict, draw: Random) -> list[Page]:
    """Return the decisive pages for a label."""
    if label is Verdict.NOT_ENOUGH_EVIDENCE:
        return []
    if label is Verdict.CONFLICTING:
        if one.partial and draw.random() < PARTIAL:
            return [draw.choice(one.partial)]
        first, second = draw.choice([(0, 1), (1, 0), (1, 1)])
        return [one.supports[first], one.refutes[second]]
    own = one.supports if label is Verdict.SUPPORTED else one.refutes
    return draw.sample(own, 2 if draw.random() < TWO else 1)


def _deciding(one: Scenario, page: Page, label: Verdict, draw: Random) -> Passage:
    """Return the decisive passage of a page. A page for "half true" is returned whole, because both halves count."""
    if page in one.partial:
        return whole(page)
    found = deciding(page, one.claim, draw)
    if label in _ANSWERS and draw.random() < ANSWERED:
        answered = f"{draw.choice(_ANSWERS[label])} {found.text}"
        return found._replace(text=quoted_before(one.claim, answered, draw))
    return found


def _beside(one: Scenario, pages: Sequence[Page], draw: Random) -> list[Passage]:
    return [passage for page in pages if page.key and (passage := beside(page, one.claim, draw))]


def _is_kept(passage: Passage, draw: Random) -> bool:
    return not _ANSWER.search(passage.text) or draw.random() < KEPT


def _claim(one: Scenario, passages: list[Passage], label: Verdict) -> MetClaim:
    return MetClaim(SCENARIOS, same(one.claim), one.claim, passages, label)
