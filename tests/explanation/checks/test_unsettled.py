"""Which sentences leave the claim open."""

import pytest

from src.explanation.checks.verdicts import is_unsettled


@pytest.mark.parametrize(
    ("text", "is_open"),
    [
        ("No evidence was found.", True),
        ("No official records of such a visit were found.", True),
        ("No proof for it could be found, nor a source.", True),
        ("No answer has been found.", True),
        ("Nothing was found about the painter.", True),
        ("Nothing that was found bears on it.", True),
        ("It could not be verified.", True),
        ("This does not settle the claim.", True),
        ("No body was found.", False),
        ("No traces of the bomb were found in the house.", False),
        ("The police searched the mill, and nothing was found.", False),
        ("The records were found in the mill.", False),
        ("No one was there when the evidence was found.", False),
    ],
)
def test_unsettled(text: str, is_open: bool) -> None:
    assert is_unsettled(text) is is_open
