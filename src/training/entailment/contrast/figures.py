"""Synthetic examples with figures or dates, and claims about them in words: doubled, a third, more than, before.

Real sets have few such claims, and a model that has not seen them takes shared words for proof. Each wording is equally
often true and false, so only the figures decide. In a share of the passages a figure is missing: not enough evidence.

Limitations: the examples are made of templates about a few dozen things.
"""

from collections import Counter
from random import Random

from src.training.entailment.contrast.cases import KINDS, Case, Statement
from src.training.entailment.contrast.things import BESIDE, HELD_OUT, LEARNED, Topics
from src.training.entailment.examples import EntailmentExample
from src.training.entailment.pack import CONTRADICTED, ENTAILED, NEUTRAL

KIND = "figures"
LACKING = 0.2  # share of the passages without a figure


def figure_examples(count: int, seed: int) -> list[EntailmentExample]:
    """Return `count` training examples."""
    return _made(count, LEARNED, Random(f"{seed}\nfigures"))


def held_out_figures(count: int) -> list[EntailmentExample]:
    """Return `count` held-out examples about other things, in the same wordings."""
    return _made(count, HELD_OUT, Random("held-out figures"))


def _made(count: int, topics: Topics, draw: Random) -> list[EntailmentExample]:
    found: list[EntailmentExample] = []
    ahead: Counter[str] = Counter()  # true minus false examples of each wording
    while len(found) < count:
        case = draw.choice(KINDS)(topics, draw)
        if draw.random() < LACKING:
            found.append(_example(case.lacking, draw.choice(case.claims), NEUTRAL, draw))
        elif (one := _most_wanted(case, ahead, draw)) is not None:
            ahead[one.wording] += 1 if one.is_true else -1
            found.append(_example(case.passage, one, ENTAILED if one.is_true else CONTRADICTED, draw))
    return found


def _most_wanted(case: Case, ahead: Counter[str], draw: Random) -> Statement | None:
    """Return a drawn claim that does not make its wording more unbalanced; None if there is none.

    True claims are allowed if the wording has no more true than false ones, and vice versa.
    """
    wanted = [one for one in case.claims if (ahead[one.wording] <= 0 if one.is_true else ahead[one.wording] >= 0)]
    return draw.choice(wanted) if wanted else None


def _example(passage: str, one: Statement, label: int, draw: Random) -> EntailmentExample:
    shown = [passage, *draw.sample(BESIDE, draw.choice([0, 0, 1, 2]))]
    draw.shuffle(shown)
    return EntailmentExample(KIND, (one.claim, [("", " ".join(shown))]), label)
