"""Chooses the evidence that decides: pieces that move the verdict, of both sides, from several sites.

    worth of a piece = force + RANKED * (1 - rank / candidates) - SAME_SITE * pieces of its site chosen before

`force` is the larger of the probabilities that the piece entails and that it contradicts the claim, and 0 where it only
repeats the claim. Pieces are chosen one by one. Where both sides have a piece, the best of each side
comes first.

Limitations: the force of a piece is that of the piece alone; what decides only together with another is not seen.
"""

from collections.abc import Sequence

from src.canonical_url import site
from src.records import Side
from src.stance.records import Passage, Stance

FOUND, CHOSEN = 10, 5  # passages that a check retrieves, and keeps of these, by default
RANKED = 0.5  # weight of the retriever's order
SAME_SITE = 0.25


def selected(passages: Sequence[Passage], stances: Sequence[Stance], most: int) -> list[int]:
    """Return the places of at most `most` pieces, best first; the order of `passages` is the retriever's.

    A piece without text, or that repeats the text of another, is never chosen.
    """
    left = _distinct(passages)
    sides = [_best_of(side, left, stances) for side in (Side.FOR, Side.AGAINST)]
    chosen = sorted((place for place in sides if place is not None), key=lambda place: -stances[place].force)
    chosen = chosen[:most] if None not in sides else []
    sites = [site(passages[place].url) for place in chosen]
    while len(chosen) < most and (rest := [place for place in left if place not in chosen]):

        def worth(place: int) -> float:
            ranked = 1 - place / len(passages)
            again = sites.count(site(passages[place].url)) if passages[place].url else 0
            return stances[place].force + RANKED * ranked - SAME_SITE * again

        best = max(rest, key=lambda place: (worth(place), -place))
        chosen.append(best)
        sites.append(site(passages[best].url))
    return chosen


def _distinct(passages: Sequence[Passage]) -> list[int]:
    first: dict[str, int] = {}
    for place, passage in enumerate(passages):
        first.setdefault(" ".join(passage.text.split()).casefold(), place)
    return [place for text, place in first.items() if text]


def _best_of(side: Side, places: Sequence[int], stances: Sequence[Stance]) -> int | None:
    own = [place for place in places if stances[place].side is side]
    return max(own, key=lambda place: (stances[place].force, -place), default=None)
