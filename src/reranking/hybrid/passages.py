"""Passages: a retrieved sentence together with its neighbors on the page, as one piece of evidence.

A sentence such as "That is false." says nothing without the one before it. A sentence that stands in a passage chosen
before it is no passage of its own.

Limitations: a passage has the page's heading, date or author only where these are its neighbors, and two passages of a
page may share a neighbor. How long passages should be is measured by `bench/passage_lengths.py`.
"""

from collections.abc import Sequence

from src.records import ChosenSentence

MOST_WORDS = 40  # of a neighbor; a longer one is left out


def as_passages(found: Sequence[ChosenSentence], most_words: int = MOST_WORDS) -> list[ChosenSentence]:
    """Return the passages around the sentences, best first; neighboring sentences of a page share one passage.

    A neighbor of more than `most_words` words is left out.
    """
    passages: list[ChosenSentence] = []
    for one in found:
        if any(one.url == other.url and one.sentence in other.sentence for other in passages):
            continue
        parts = [
            part
            for part in (one.before, one.sentence, one.after)
            if part == one.sentence or 0 < len(part.split()) <= most_words
        ]
        passages.append(ChosenSentence(" ".join(parts), one.url, reason=one.reason))
    return passages
