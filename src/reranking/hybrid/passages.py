"""Passages: pieces of evidence that are longer than a sentence.

"That is false." says nothing without the sentence before it, "Attendance fell by a third." nothing without the heading.
So a passage is a retrieved sentence and the sentences around it, at most `MOST_WORDS` words, after the page's heading.
The heading is the first sentence of the page, if that is short. A page of at most `SHORT_PAGE` words is one passage. A
retrieved sentence that an earlier passage holds makes no passage of its own.

Limitations: a passage has the page's date or author only where these are near the sentence, and two passages of a page
may share sentences. How long passages should be is measured by `bench/passage_lengths.py`.
"""

from collections.abc import Sequence

from src.records import ChosenSentence, Document
from src.reranking.hybrid.retrieval import Found

MOST_WORDS, SHORT_PAGE = 60, 100
LONGEST_HEADING = 20  # words
LEFT_OUT = " … "  # between a heading and what does not follow it on the page


def as_passages(
    found: Sequence[Found], pages: Sequence[Document], most_words: int = MOST_WORDS
) -> list[ChosenSentence]:
    """Return the passages around the sentences, best first. Places count the sentences of all pages in order."""
    place_of = [(page, at) for page in pages for at in range(len(page.url2text))]
    passages: list[ChosenSentence] = []
    for one in found:
        page, at = place_of[one.place]
        sentence = page.url2text[at]
        if any(page.url == other.url and sentence in other.sentence for other in passages):
            continue
        passages.append(ChosenSentence(_passage(page.url2text, at, most_words), page.url, reason=one.reason))
    return passages


def _passage(sentences: Sequence[str], at: int, most_words: int) -> str:
    lengths = [len(sentence.split()) for sentence in sentences]
    if sum(lengths) <= SHORT_PAGE:
        return " ".join(sentences)
    first, last = _window(lengths, at, most_words)
    text = " ".join(sentences[first : last + 1])
    if not first or lengths[0] > LONGEST_HEADING:
        return text
    return f"{sentences[0]}{' ' if first == 1 else LEFT_OUT}{text}"


def _window(lengths: Sequence[int], at: int, most_words: int) -> tuple[int, int]:
    """Return the places of the first and the last sentence; it grows on both sides in turn, the nearest first."""
    first, last, left = at, at, most_words - lengths[at]
    before = after = True
    while before or after:
        before = before and first > 0 and lengths[first - 1] <= left
        if before:
            first -= 1
            left -= lengths[first]
        after = after and last + 1 < len(lengths) and lengths[last + 1] <= left
        if after:
            last += 1
            left -= lengths[last]
    return first, last
