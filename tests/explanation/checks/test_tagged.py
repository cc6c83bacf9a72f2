"""Findings from a tagger's probabilities, and lexical findings that the tagger rejects."""

from collections.abc import Sequence

import pytest

from src.explanation.checks.checker import Checker, checker
from src.explanation.checks.tagged import Thresholds
from src.explanation.records import ExplainedClaim, Finding
from src.models.faithfulness import LABELS, Premise, Tagger, Word

SOURCE = "The old mill of Lund burnt in 1950.\nA rich painter saw it."
SURE = Thresholds(*[0.5] * 9, *[0.2] * 5)


class FixedTagger(Tagger):
    """Tagger with given labels and probabilities of words; all other words are faithful."""

    def __init__(self, tags: dict[str, tuple[str, float]]) -> None:
        self._told = tags
        self.asked: list[tuple[str, Premise]] = []

    def tag(self, pairs: Sequence[tuple[str, Premise]]) -> list[list[Word]]:
        self.asked += pairs
        return [list(self._words(sentence)) for sentence, _ in pairs]

    def _words(self, sentence: str) -> list[Word]:
        words, at = [], 0
        for word in sentence.split():
            start = sentence.index(word, at)
            at = start + len(word)
            label, chance = self._told.get(word.strip("."), ("none", 1.0))
            row = [0.0] * len(LABELS)
            row[LABELS.index(label)] += chance
            row[0] += 0.0 if label == "none" else 1 - chance
            words.append(Word(start, at, tuple(row)))
        return words


def findings_of(tags: dict[str, tuple[str, float]], text: str) -> list[Finding]:
    check = Checker(checker()._language, FixedTagger(tags), SURE)
    (findings,) = check.check([ExplainedClaim(7, "The mill burnt.", "true", source=SOURCE, explanation=text)])
    return findings


def test_the_hedge_of_a_justification_is_not_checked() -> None:
    tags = {"model": ("EE", 0.9), "settle": ("IV", 0.9), "rich": ("IN", 0.9)}
    hedge = "; as a small model reads it, this does not settle the claim."
    assert findings_of(tags, f"The mill burnt{hedge}") == []
    assert [one.span for one in findings_of(tags, f"The rich mill burnt{hedge}")] == ["rich"]


@pytest.mark.parametrize(
    ("tags", "text", "types"),
    [
        ({"rich": ("IN", 0.9)}, "The rich mill burnt.", [("IN", "rich")]),
        ({"rich": ("EN", 0.9)}, "The rich mill burnt.", [("IN", "rich")]),
        ({"grim": ("EN", 0.9)}, "The grim mill burnt.", [("EN", "grim")]),
        ({"grim": ("IN", 0.9)}, "The grim mill burnt.", []),
        ({"1950": ("EE", 0.3)}, "The mill burnt in 1950.", []),
        ({"1950": ("EE", 0.6)}, "The mill burnt in 1950.", [("IE", "1950")]),
        ({"not": ("IV", 0.7), "did": ("IV", 0.4), "burn": ("IV", 0.1)}, "It did not burn.", [("IV", "did not")]),
        ({}, "The mill burnt.", []),
    ],
)
def test_a_peak_above_its_threshold_is_found(
    tags: dict[str, tuple[str, float]], text: str, types: list[tuple[str, str]]
) -> None:
    assert [(one.type.value, one.span) for one in findings_of(tags, text)] == types


def test_a_finding_by_words_needs_some_doubt() -> None:
    text = "The mill burnt in 1913."
    assert findings_of({}, text) == []
    assert [one.span for one in findings_of({"1913": ("EE", 0.25)}, text)] == ["1913"]
    assert [one.type.value for one in findings_of({"1913": ("EE", 0.9)}, text)] == ["EE"]


def test_it_reads_claim_verdict_and_evidence() -> None:
    tagger = FixedTagger({})
    claim = ExplainedClaim(7, "The mill burnt.", "true", source=SOURCE, explanation="It burnt. It did.")
    Checker(checker()._language, tagger, SURE).check([claim])
    assert [sentence for sentence, _ in tagger.asked] == ["It burnt.", "It did."]
    premise = list(tagger.asked[0][1])
    assert premise[:2] == [("claim", "The mill burnt."), ("verdict", "so the claim is true")]
    assert premise[2:] == [("", line) for line in SOURCE.split("\n")]


def test_copied_sentences_are_checked_only_on_request() -> None:
    tagger = FixedTagger({"saw": ("IV", 0.9)})
    claim = ExplainedClaim(7, "It burnt.", "true", source=SOURCE, explanation="A rich painter saw it. He saw it.")
    check = Checker(checker()._language, tagger, SURE)
    assert [one.sentence for one in check.check([claim])[0]] == [1]
    assert [sentence for sentence, _ in tagger.asked] == ["He saw it."]
    assert [one.sentence for one in check.with_copies().check([claim])[0]] == [0, 1]


def test_the_doubt_is_of_the_words_themselves() -> None:
    assert [one.span for one in findings_of({"2015": ("EE", 0.3)}, "In 2015 15 mills burnt.")] == ["2015"]
    assert [one.span for one in findings_of({"15": ("EE", 0.3)}, "In 2015 15 mills burnt.")] == ["15"]
