"""A classifier whose last readings are kept."""

import pytest
import torch

from src.models import cached_classifier
from src.models.cached_classifier import CachedClassifier
from src.models.evidence_rows import Input
from tests.stance.scripted import ScriptedClassifier

YES: Input = ("Eels swim.", [("", "Yes, they do.")])
NO: Input = ("Eels swim.", [("", "No, they stay.")])


def test_the_same_is_asked_once_and_comes_in_order() -> None:
    model = ScriptedClassifier()
    kept = CachedClassifier(model)
    plain = ScriptedClassifier().logits([YES, NO, YES])
    assert torch.equal(kept.logits([YES, NO, YES]), plain)
    assert torch.equal(kept.logits([NO]), plain[1:2])
    assert len(model.asked) == 2
    assert kept.logits([]).shape == (0, 4)


def test_only_so_many_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cached_classifier, "MOST_KEPT", 1)
    model = ScriptedClassifier()
    kept = CachedClassifier(model)
    for one in (YES, NO, YES):
        kept.logits([one])
    assert len(model.asked) == 3
