"""The nine types by letters or by name."""

import pytest

from src.explanation.typology import MADR_TYPES, ErrorType, error_type


@pytest.mark.parametrize("one", MADR_TYPES)
def test_each_type_is_read_by_its_letters_and_its_name(one: ErrorType) -> None:
    for text in (one.value, one.value.lower(), one.full_name, f"**{one.full_name.title()}** error"):
        assert error_type(text) is one


def test_other_spellings_and_nothing() -> None:
    assert error_type("Over-generalization") is ErrorType.OVERGENERALISATION
    assert error_type("Related error") is None
    assert error_type("") is None


def test_names_as_the_paper_has_them() -> None:
    assert error_type("Intrinsic Entity-Related Error") is ErrorType.INTRINSIC_ENTITY
    assert error_type("Extrinsic Noun-Phrase-Related Errors") is ErrorType.EXTRINSIC_NOUN_PHRASE
    assert error_type("Intrinsic Event-Related") is ErrorType.INTRINSIC_EVENT
