"""What a sentence may rest on, and when it is a copy."""

import pytest

from src.explanation.checks.grounds import MOST_PIECES, Grounds, premise
from src.explanation.checks.rules import irrelevant, wider_quantifiers
from src.explanation.records import ExplainedClaim
from src.records import QAPair

EELS = ExplainedClaim(
    0, "Eels fly.", "false",
    [QAPair("Do eels fly?", "It is untrue that eels fly. They swim, mostly at night."), QAPair("Where?", "In Oslo")],
    claim_date="2020-10-31", speaker="Ada Moor",
)  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "is_copy"),
    [
        ("They swim, mostly at night.", True),
        ("they swim mostly at night", True),
        ("In Oslo.", True),
        ("They swim, mostly at night; so the claim is false.", True),
        ("They swim, mostly at night; so the claim is true.", False),  # the label is another
        ("So the claim is false.", False),
        ("Eels fly.", False),  # a part of the evidence that says the opposite
        ("They swim.", False),
        ("It is untrue that eels fly. They swim, mostly at night.", True),
        ("", False),
        ("...", False),
    ],
)
def test_a_copy_is_a_whole_sentence(sentence: str, is_copy: bool) -> None:
    assert Grounds.of(EELS).tells(sentence) is is_copy


def test_who_said_it_and_when_is_ground() -> None:
    text = Grounds.of(EELS).text
    assert "Ada Moor" in text
    assert "2020 10 31" in text
    assert premise("Eels swim.", Grounds.of(EELS))[0] == ("claim Ada Moor 2020-10-31", "Eels fly.")


def test_many_pieces_are_read_as_few() -> None:
    many = ExplainedClaim(0, "Eels fly.", "false", source="\n".join(f"Eel {number} swims." for number in range(20)))
    read = premise("Eel 3 swims.", Grounds.of(many))
    assert len(read) == MOST_PIECES + 2
    assert all(f"Eel {number} swims." in " ".join(text for _, text in read) for number in range(20))


@pytest.mark.parametrize(
    ("sentence", "spans"),
    [
        ("Eels always swim.", ["always"]),
        ("All eels swim everywhere.", ["All", "everywhere"]),
        ("All of the evidence says so.", []),
        ("It was never the case, at no time.", ["never"]),
        ("They swim, mostly at night.", []),
    ],
)
def test_one_finding_for_each_kind_of_wide_word(sentence: str, spans: list[str]) -> None:
    found = [one.span for one in wider_quantifiers(sentence, 0, Grounds.of(EELS))]
    assert sorted(found) == sorted(spans)


@pytest.mark.parametrize(
    ("sentence", "is_found"),
    [
        ("The senate of Ohio passed a budget with large cuts yesterday.", True),
        ("The senate passed it.", False),  # too short to tell
        ("The claim was made before the senate of Ohio passed a budget.", False),  # it speaks of the claim
        ("Eels swim at night in Oslo, where they live.", False),
    ],
)
def test_a_sentence_that_shares_nothing_is_beside_the_point(sentence: str, is_found: bool) -> None:
    assert bool(list(irrelevant(sentence, 3, Grounds.of(EELS)))) is is_found
