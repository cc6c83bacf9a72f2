"""Passages of a page for training: three adjacent sentences, or the whole page. The title is the first sentence.

A passage with fewer than `ANCHORS` of the claim's words means nothing alone. The whole page is then used.
"""

from random import Random

from src.reranking.hybrid.own_words import own_words
from src.stance.records import Passage
from src.text import sentences
from src.training.scenarios.records import Page

WHOLE, OPEN_WHOLE = 0.15, 0.4  # shares of whole pages, chosen to give deciding and open passages similar lengths
LIKEST = 0.5  # share of passages of an open page that have the most words in common with the claim
ANCHORS = 2

_Span = tuple[int, int]  # indices of the first and the last sentence


def deciding(page: Page, claim: str, draw: Random) -> Passage:
    """Return a passage with the whole decisive part of the page."""
    texts = _sentences(page)
    own = _of_key(page, texts)
    spans = [span for span in _spans(texts) if span[0] <= own[0] and own[1] <= span[1]]
    return _passage(page, texts, draw.choice(spans) if spans else own, claim, draw)


def beside(page: Page, claim: str, draw: Random) -> Passage | None:
    """Return a passage behind the decisive part of the page, or None if there is none.

    Passages before it are not used: headings and questions can reveal the decision.
    """
    texts = _sentences(page)
    own = _of_key(page, texts)
    spans = [span for span in _spans(texts) if own[1] < span[0]]
    found = _passage(page, texts, draw.choice(spans), claim, draw) if spans else None
    return found if found and page.key not in found.text else None


def anywhere(page: Page, claim: str, draw: Random) -> Passage:
    """Return a passage of a page that does not decide the claim."""
    texts = _sentences(page)
    spans = _spans(texts)
    if draw.random() < OPEN_WHOLE:
        return whole(page)
    if draw.random() < LIKEST:
        spans = [max(spans, key=lambda span: _shared(claim, _text(texts, span)))]
    return _passage(page, texts, draw.choice(spans), claim, draw)


def whole(page: Page) -> Passage:
    """Return title and text of a page as one passage."""
    return Passage(f"{page.title} {page.text}", _url(page))


def _sentences(page: Page) -> list[str]:
    return [page.title, *sentences(page.text)]


def _spans(texts: list[str]) -> list[_Span]:
    """Return the spans of all runs of three sentences, or one span if there are fewer sentences."""
    return [(at - 1, at + 1) for at in range(1, len(texts) - 1)] or [(0, len(texts) - 1)]


def _of_key(page: Page, texts: list[str]) -> _Span:
    """Return the span of the sentences that overlap the key."""
    start = page.text.index(page.key)
    found, end = [], 0
    for at, text in enumerate(texts[1:], start=1):
        begin = page.text.index(text, end)
        end = begin + len(text)
        if begin < start + len(page.key) and end > start:
            found.append(at)
    return found[0], found[-1]


def _passage(page: Page, texts: list[str], span: _Span, claim: str, draw: Random) -> Passage:
    text = _text(texts, span)
    return whole(page) if draw.random() < WHOLE or _shared(claim, text) < ANCHORS else Passage(text, _url(page))


def _text(texts: list[str], span: _Span) -> str:
    return " ".join(texts[span[0] : span[1] + 1])


def _shared(claim: str, text: str) -> int:
    return len(set(own_words(claim)) & set(own_words(text)))


def _url(page: Page) -> str:
    return f"https://{page.site}/"
