"""Long sentences cut in two where a clause may begin, as many as a seed says: the same sentence always in the same way.

Limitations: what the cut leaves behind is not always a sentence, as in scraped pages.
"""

import random
import re

from src.records import Sentence

SHARE = 0.7  # of the long ones
LONG = 16  # words

_CLAUSE = re.compile(r"(?<=,)\s+|\s+(?=(?:and|but|or|because|which|while|that|when|who|as|after|before|with)\s)")


def shortened(one: Sentence, seed: int = 0) -> list[Sentence]:
    """Both parts of the sentence, cut at the comma or conjunction nearest its middle; or the sentence."""
    text = one.sentence
    if len(text.split()) < LONG or random.Random(f"{seed} {text}").random() >= SHARE:
        return [one]
    middle, near = len(text) / 2, len(text) / 4
    places = [match for match in _CLAUSE.finditer(text) if abs(match.start() - middle) <= near]
    if not places:
        return [one]
    place = min(places, key=lambda match: abs(match.start() - middle))
    return [Sentence(text[: place.start()], one.url), Sentence(text[place.end() :], one.url)]
