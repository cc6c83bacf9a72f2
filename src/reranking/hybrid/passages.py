"""Passages: evidence that is longer than a sentence.

"That is false." cannot be understood without the sentence before it, "Attendance fell by a third." not without the
heading. So a passage is a retrieved sentence and the sentences around it, at most `MOST_WORDS` words, after the page's
heading. The heading is the first sentence of the page, if it is short and half of its words occur again on the page.
A menu fails that test. A page of at most `SHORT_PAGE` words is one passage. A retrieved sentence that is part of an
earlier passage is skipped; the next one is taken instead.

Limitations: a passage has the page's date or author only if they are near the sentence, and two passages of a page may
share sentences. How long passages should be is measured by `bench/passage_lengths.py`.
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from src.records import ChosenSentence, Document
from src.reranking.hybrid.own_words import own_words
from src.reranking.hybrid.retrieval import Hit

MOST_WORDS, SHORT_PAGE = 60, 100
LONGEST_HEADING = 20  # words
RECURRING = 0.5  # share of a heading's words that occur again on its page
SPARE = 2  # sentences that are retrieved for each passage that is wanted
LEFT_OUT = " … "  # between a heading and what does not follow it on the page


def as_passages(
    hits: Sequence[Hit], pages: Sequence[Document], most: int, most_words: int = MOST_WORDS
) -> list[ChosenSentence]:
    """Return at most `most` passages around the retrieved sentences, best first.

    `hits`: retrieved sentences; `place` is an index (from 0) into the sentences of all `pages` in order.
    `most_words`: maximum number of words of a passage.
    """
    starts = [0, *accumulate(len(page.url2text) for page in pages)]
    passages: list[ChosenSentence] = []
    held: set[int] = set()  # places of sentences in passages
    for hit in hits:
        if hit.place in held:
            continue
        if len(passages) == most:
            break
        number = bisect_right(starts, hit.place) - 1  # the last of those that begin there: others are empty
        page, at = pages[number], hit.place - starts[number]
        passage = _passage(page.url2text, at, most_words)
        held.update(hit.place - at + inside for inside in passage.places)
        if not any((passage.text, page.url) == (other.sentence, other.url) for other in passages):
            passages.append(ChosenSentence(passage.text, page.url, reason=hit.reason))
    return passages


class _Passage(NamedTuple):
    """A passage: its text, and the indexes (from 0) on the page of the sentences in it."""

    text: str
    places: Sequence[int]


def _passage(sentences: Sequence[str], at: int, most_words: int) -> _Passage:
    """Return the passage around the sentence at index `at` of a page; `sentences` are those of the page."""
    lengths = [len(sentence.split()) for sentence in sentences]
    if sum(lengths) <= SHORT_PAGE:
        return _Passage(" ".join(sentences), range(len(sentences)))
    first, last = _window(lengths, at, most_words)
    places, text = range(first, last + 1), " ".join(sentences[first : last + 1])
    if not first or not _has_heading(sentences):
        return _Passage(text, places)
    return _Passage(f"{sentences[0]}{' ' if first == 1 else LEFT_OUT}{text}", [0, *places])


def _has_heading(sentences: Sequence[str]) -> bool:
    """Return True if the first sentence of a page is a heading: it is short, and half of its words occur again."""
    first, *rest = sentences
    if len(first.split()) > LONGEST_HEADING or not (known := set(own_words(first))):
        return False
    recurring: set[str] = set()
    for sentence in rest:
        recurring |= known.intersection(own_words(sentence))
        if len(recurring) >= RECURRING * len(known):
            return True
    return False


def _window(lengths: Sequence[int], at: int, most_words: int) -> tuple[int, int]:
    """Return the indexes of the first and the last sentence of the passage around the sentence at index `at`.

    The passage grows by one sentence on each side in turn, up to `most_words`; `lengths` are words per sentence.
    """
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
