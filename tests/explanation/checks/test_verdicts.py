"""Statements of a verdict on the claim, and sentences that leave it open."""

import pytest

from src.explanation.checks.verdicts import Statement, is_unsettled, sides, statements


@pytest.mark.parametrize(
    ("text", "side"),
    [
        ("Eels do not fly so the claim is supported.", "true"),
        ("Eels cannot fly, the sources show that the claim is true.", "true"),
        ("There is no evidence that eels fly and so the claim is true.", "true"),
        ("The evidence supports the claim.", "true"),
        ("The answers of the two anglers clearly refute this statement.", "false"),
        ("Eels have no wings, which contradicts the claim.", "false"),
        ("The evidence disproves the claim that eels fly.", "false"),
        ("The evidence makes the claim false.", "false"),
        ("This shows the assertion to be correct.", "true"),
        ("The claim that eels fly, by all accounts, is therefore wrong.", "false"),
        ("The claim is proven to be false.", "false"),
        ("The claim as a whole must be considered inaccurate.", "false"),
        ("The claim is not only true but famous.", "true"),
        ("The claim is partly correct.", "mixed"),
        ("So the claim is mostly true.", "true"),
        ("The verdict is Supported.", "true"),
        ("The claim cannot be verified.", "unknown"),
        ("So what the claim says could not be established: there is not enough evidence.", "unknown"),
    ],
)
def test_plain_statements(text: str, side: str) -> None:
    assert sides(text) == {side}


@pytest.mark.parametrize(
    "text",
    [
        "It is true that eels swim.",
        "It is false that the claim is true.",
        "It is unlikely that the claim is true.",
        "Not a single source says that the claim is true.",
        "The claim is supported by no evidence.",
        "The claim has been verified by anglers to be false.",
        "The evidence supports the verdict.",
        "It is open whether the claim is true.",
        "If the claim is true, eels fly.",
        "It is not clear that the claim is false.",
        "There is no evidence in the answers that the claim is true.",
        "There is not enough evidence to say that the claim is supported.",
        "None of the answers suggest that the claim is true.",
        "Nothing shows the claim is false.",
        "The claim is true or false.",
        "Is the claim true?",
        "The claim cannot be considered true.",
        "The first part of the claim is true.",
        "The evidence does not support the claim.",
        "The evidence doesn't support the claim.",
        "No evidence supports the claim.",
        "No clear evidence supports the claim.",
        "There is no evidence to support the claim.",
        "There is no source which supports the claim.",
        "The evidence neither supports nor refutes the claim.",
        "Does the evidence support the claim?",
        "We do not know if the answers support the claim.",
        "The first answer supports the claim.",
        "Answer 2 supports the claim.",
        "Ada Moor supports the claim.",
        "The evidence only partly supports the claim.",
        "The evidence supports the claim's wording.",
        "The answers do not make the claim false.",
        "The claim is proven to be a joke.",
        "The source has confirmed the claim was a joke.",
    ],
)
def test_what_is_open_denied_or_of_something_else_is_nothing_of_the_kind(text: str) -> None:
    assert list(statements(text)) == []


def test_a_denial_of_the_claim_itself_is_one() -> None:
    assert list(statements("The claim is not supported.")) == [Statement("The claim is not supported", "true", True)]
    assert not sides("The claim isn't false.")


def test_several_statements_are_all_found() -> None:
    assert sides("The evidence supports the claim. So the claim is refuted.") == {"true", "false"}


def test_a_long_list_of_asides_is_read_to_its_end() -> None:
    assert sides("the claim" + ", really, truly" * 400 + " goes on. The claim is true.") == {"true"}


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
