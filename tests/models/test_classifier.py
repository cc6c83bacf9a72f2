"""Prompts of a claim with passages, and the cache of a classifier's logits."""

import pytest
import torch

from src.models import classifier as classifiers
from src.models.classifier import CachedClassifier
from src.models.evidence_rows import MAX_PAIRS, Input
from src.models.prompted_classifier import ENTAILMENT_PROMPT, VERDICT_PROMPT, prompt
from tests.stance.scripted import ScriptedClassifier


def test_prompt() -> None:
    item = ("It rained.", [("", "It was wet."), ("Weather", "Rain fell."), ("Did it rain?", "Yes.")])
    assert prompt(item).splitlines() == [
        "Passage: It was wet.",
        "Passage: Weather: Rain fell.",
        "Passage: Did it rain? Yes.",
        "Claim: It rained.",
        "Judging by the passage, is the claim True, False or Unknown?",
    ]


def test_long_passages_are_cut_and_short_ones_stay_whole() -> None:
    text = prompt(("It rained.", [("", "wet " * 900), ("", "dry dry")]))
    assert text.count("wet") == ENTAILMENT_PROMPT.words - 2
    assert text.count("dry") == 2


def test_the_first_passages_count() -> None:
    assert prompt(("It rained.", [("", "wet")] * (MAX_PAIRS + 3))).count("wet") == MAX_PAIRS


def test_without_passages() -> None:
    assert "Passage: none" in prompt(("It rained.", []))


def test_prompt_for_a_verdict() -> None:
    item = ("It rained.", [("", "It was wet.")])
    last = prompt(item, VERDICT_PROMPT).splitlines()[-1]
    assert last == "Judging by the passages, is the claim True, False, Unknown or Mixed?"


YES: Input = ("Eels swim.", [("", "Yes, they do.")])
NO: Input = ("Eels swim.", [("", "No, they stay.")])


def test_equal_inputs_are_computed_once_and_returned_in_order() -> None:
    model = ScriptedClassifier()
    cached = CachedClassifier(model)
    plain = ScriptedClassifier().logits([YES, NO, YES])
    assert torch.equal(cached.logits([YES, NO, YES]), plain)
    assert torch.equal(cached.logits([NO]), plain[1:2])
    assert len(model.inputs) == 2
    assert cached.logits([]).shape == (0, 4)


def test_the_cache_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classifiers, "MOST_CACHED", 1)
    model = ScriptedClassifier()
    cached = CachedClassifier(model)
    for one in (YES, NO, YES):
        cached.logits([one])
    assert len(model.inputs) == 3
