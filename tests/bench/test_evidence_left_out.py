"""Means over judgements with and without probabilities."""

import pytest

from bench.evidence_left_out import Shown, shown
from src.errors import InputError
from src.models.veracity import Judgement
from src.records import VERDICTS, Verdict

BY_RULE = Judgement(Verdict.NOT_ENOUGH_EVIDENCE)


def test_judgements_by_rule_have_no_probability() -> None:
    model = Judgement(Verdict.SUPPORTED, dict(zip(VERDICTS, (0.6, 0.2, 0.1, 0.1), strict=True)))
    assert shown(Verdict.SUPPORTED, [model, model, BY_RULE]) == Shown(0.6, 2, round(1 / 3, 4))


def test_a_model_without_probabilities_is_refused() -> None:
    with pytest.raises(InputError, match="gives no probabilities"):
        shown(Verdict.SUPPORTED, [BY_RULE])
