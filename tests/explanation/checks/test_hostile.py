"""The time of each rule is linear in the length of hostile texts: a text is compared with one that is twice as long.

The faster of two runs counts. A test fails only if the time grows more than a quadratic rule's would on a text of this
size; a linear rule takes milliseconds here.
"""

import time
from collections.abc import Callable

import pytest

from src.explanation.checks.checker import OF_WORDS, checker
from src.explanation.checks.grounds import Grounds, without_references
from src.explanation.checks.tagged import doubt
from src.explanation.checks.verdicts import is_unsettled
from src.explanation.pieces import NearestPiece, Piece
from src.explanation.records import ExplainedClaim
from src.name_index import NameIndex
from src.quantities import quantities
from src.records import Verdict

GROWTH = 2.6  # linear is 2, n log n a little more, quadratic 4
SLACK = 0.25  # seconds that a run may take whatever its growth
SIZE = 30_000  # characters of the shorter text


def names(size: int) -> str:
    letters = "abcdefghijklmnopqrst"
    names = (f"{a}{b}{c}{d}son" for a in "ABCDEFGHIJ" for b in letters for c in letters for d in letters)
    return " ".join(one for one, _ in zip(names, range(size // 9), strict=False))


HOSTILE: dict[str, Callable[[int], str]] = {
    "a long word": lambda size: "a" * size,
    "ordinals in a word": lambda size: "thand" * (size // 5),
    "numbers": lambda size: " ".join(str(1000 + 7 * at) for at in range(size // 6)),
    "one number": lambda size: "7" * size,
    "thousands": lambda size: ",".join(str(100 + at % 900) for at in range(size // 4)),
    "quotes": lambda size: '"' * size,
    "quoted words": lambda size: '"a" ' * (size // 4),
    "names": names,
    "identical sentences": lambda size: "Ada Moor paid 1913 crowns in June. " * (size // 35),
    "verdicts": lambda size: "The claim is not supported. " * (size // 28),
    "no spaces": lambda size: "A.b," * (size // 4),
    "brackets": lambda size: "(" * (size // 2) + ")" * (size // 2),
    "references": lambda size: "[1]" * (size // 3),
    "spaces": lambda size: "all" + " " * size + "x",
    "adverbs": lambda size: "The claim " + "ly" * (size // 2),
    "dates": lambda size: "5 June 1990 " * (size // 12),
}


def grounds(text: str) -> Grounds:
    return Grounds.of(ExplainedClaim(0, "The mill was built.", Verdict.REFUTED, source=text))


def by_words(text: str) -> None:
    about = grounds(names(3000))
    for _, check in OF_WORDS:
        list(check(text, 0, about))


def of_source(text: str) -> None:
    about = grounds(text)
    source = NameIndex(about.text)
    for word in names(len(text)).lower().split():
        source.has(word)
        source.mixes([word, "moor"])
    for number in quantities(" ".join(str(3 + 7 * at) for at in range(len(text) // 6))):
        about.quantities.has(number)
    for place in range(len(text) // 100):
        by_words_of_one(f"All of them paid {place} crowns in May {1000 + place % 1000}.", about)


def by_words_of_one(sentence: str, about: Grounds) -> None:
    for _, check in OF_WORDS:
        list(check(sentence, 0, about))


def nearest(text: str) -> None:
    index = NearestPiece([Piece(at, f"{one} was there") for at, one in enumerate(text.split()[:3000])])
    for _ in range(len(text) // 100):
        index.to("Who was it that was there?")


def doubted(text: str) -> None:
    for place in range(0, len(text), 10):
        doubt((), text[place : place + 8], text)


RULES = {
    "references": without_references,
    "unsettled": is_unsettled,
    "by words": by_words,
    "of the source": of_source,
    "the nearest piece": nearest,
    "doubt": doubted,
}


def least_seconds(work: Callable[[str], object], text: str) -> float:
    taken = []
    for _ in range(2):
        began = time.process_time()
        work(text)
        taken.append(time.process_time() - began)
    return min(taken)


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("rule", RULES)
def test_twice_the_text_takes_about_twice_the_time(rule: str, text: str) -> None:
    short = least_seconds(RULES[rule], HOSTILE[text](SIZE))
    long = least_seconds(RULES[rule], HOSTILE[text](2 * SIZE))
    assert long < GROWTH * short + SLACK


@pytest.mark.parametrize("text", ["quotes", "brackets", "a long word", "numbers", "spaces"])
def test_whole_checks_of_hostile_explanations(text: str) -> None:
    claim = ExplainedClaim(0, "The mill was built.", Verdict.REFUTED, source="It was.", explanation=HOSTILE[text](6000))
    began = time.process_time()
    checker().check([claim])
    assert time.process_time() - began < 60
