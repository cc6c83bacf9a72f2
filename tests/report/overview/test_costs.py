"""Seconds as people read them, and models as manifests name them."""

import pytest

from src.report.overview import costs, duration, model_names


@pytest.mark.parametrize(("seconds", "said"), [
    (0.04, "0.0 s"),
    (9.9, "9.9 s"), (48.2, "48 s"), (59.7, "1 min 00 s"), (221.4, "3 min 41 s"), (7500.0, "2 h 05 min"),
])  # fmt: skip
def test_durations_have_two_units_at_most(seconds: float, said: str) -> None:
    assert duration(seconds) == said


def test_without_manifests_there_are_no_costs() -> None:
    assert costs([]) is None


def test_models_are_named_however_deep_they_stand() -> None:
    adapted = {"name": "small", "details": {"adapter": "pretrained_models/adapters/asks"}}
    assert model_names(adapted) == ["small with asks"]
    assert model_names({"encoder": {"name": "words", "details": {}}, "hypothetical": None}) == ["words"]
    assert model_names([adapted, {"name": "big", "details": None}]) == ["small with asks", "big"]
    assert model_names(None) == []
