"""Passages of a page as retrieval makes them: a sentence with its neighbors; the title is the first sentence."""

from random import Random

from src.stance.records import Passage
from src.text import sentences
from src.training.scenarios.records import Page

WHOLE = 0.15  # share of passages that are the whole page


def deciding(page: Page, draw: Random) -> Passage:
    """Return a passage with all of what decides."""
    texts = _sentences(page)
    own = _places(page, texts)
    if draw.random() < WHOLE or not own:
        return _passage(page, texts, 0, len(texts) - 1)
    first, last = own[0], own[-1]
    centers = [at for at in range(len(texts)) if at - 1 <= first and last <= at + 1]
    if not centers:
        return _passage(page, texts, first, last)
    center = draw.choice(centers)
    return _passage(page, texts, center - 1, center + 1)


def beside(page: Page, draw: Random) -> Passage | None:
    """Return a passage of the page without any of what decides; None where there is none of two sentences."""
    texts = _sentences(page)
    own = set(_places(page, texts))
    starts = [at for at in range(len(texts) - 1) if not own & set(range(at, min(at + 3, len(texts))))]
    if not starts:
        return None
    start = draw.choice(starts)
    return _passage(page, texts, start, start + 2)


def anywhere(page: Page, draw: Random) -> Passage:
    """Return a passage of a page on which nothing decides."""
    texts = _sentences(page)
    if draw.random() < WHOLE:
        return _passage(page, texts, 0, len(texts) - 1)
    center = draw.randrange(len(texts))
    return _passage(page, texts, center - 1, center + 1)


def _sentences(page: Page) -> list[str]:
    return [page.title, *sentences(page.text)]


def _places(page: Page, texts: list[str]) -> list[int]:
    """Return the places of the sentences that share text with the key."""
    key = sentences(page.key)
    return [at for at, text in enumerate(texts) if at and any(one in text or text in one for one in key)]


def _passage(page: Page, texts: list[str], first: int, last: int) -> Passage:
    return Passage(" ".join(texts[max(0, first) : last + 1]), f"https://{page.site}/")
