"""Selection of decisive evidence: pieces that affect the verdict, from both sides and several sites.

    worth of a piece = force + RANKED * (1 - rank / candidates) - SAME_SITE * pieces of its site chosen before

`force` is the larger of the probabilities that the piece entails and that it contradicts the claim; it is 0 if the
piece only repeats the claim. Pieces are chosen one by one. If both sides have a piece, the best of each side comes
first.

Limitations: the force of a piece is that of the piece alone; pieces that decide only together are not detected.
"""

from collections.abc import Sequence

from src.canonical_url import site
from src.records import CandidateQA, CandidateQuestions, Evidence, QAPair, Side
from src.runner.outcome import Outcome
from src.stance.reader import StanceReader
from src.stance.records import Passage, Stance

RETRIEVED, CHOSEN = 10, 5  # defaults of a check: passages that are retrieved, and passages that are selected
RANKED = 0.5  # weight of the retriever's rank
SAME_SITE = 0.25


def selected(passages: Sequence[Passage], stances: Sequence[Stance], most: int) -> list[int]:
    """Return the indices (from 0) of at most `most` passages, best first.

    `passages`: passages of one claim, in the order of their retrieval.
    `stances`: stance of each passage toward the claim.

    A passage without text is never chosen. Of passages with the same text, only the first may be chosen.
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
    """Return the indices of the passages with text, without those that repeat the text of an earlier passage."""
    first: dict[str, int] = {}
    for place, passage in enumerate(passages):
        first.setdefault(" ".join(passage.text.split()).casefold(), place)
    return [place for text, place in first.items() if text]


def _best_of(side: Side, places: Sequence[int], stances: Sequence[Stance]) -> int | None:
    """Return the index of the strongest passage on a side, of those at the indices `places`; None without one."""
    own = [place for place in places if stances[place].side is side]
    return max(own, key=lambda place: (stances[place].force, -place), default=None)


def select_evidence(reader: StanceReader, most: int, claims: Sequence[CandidateQuestions]) -> list[Outcome[Evidence]]:
    """Return the evidence of each claim: at most `most` of its candidate pairs, best first; empty without candidates.

    Raises ModelError if the reader fails.
    """
    pairs = [[_pair(one) for one in claim.bm25_qau] for claim in claims]
    passages = [[Passage(one.answer, one.url, claim.speaker) for one in claim.bm25_qau] for claim in claims]
    read = reader.stances([(claim.claim, own) for claim, own in zip(claims, passages, strict=True)])
    outcomes = []
    for claim, own, texts, stances in zip(claims, pairs, passages, read, strict=True):
        best = [own[place] for place in selected(texts, stances, most)]
        counts = {"pairs": len(own), "no_evidence": int(not best)}
        outcomes.append(Outcome(Evidence(claim.claim_id, claim.claim, best, claim.speaker), counts))
    return outcomes


def _pair(one: CandidateQA) -> QAPair:
    return QAPair(one.question, one.answer, one.url)
