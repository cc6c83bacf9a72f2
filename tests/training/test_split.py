"""Held-out claims: chosen by text alone, never trained on, and none of another split."""

from pathlib import Path

import pytest

from src.errors import InputError
from src.records import Claim
from src.store import read_claims
from src.text import same
from src.training.split import HELD_OUT, is_held_out, split_claims

CLAIMS = [Claim(f"The mayor of town {number} sold {number} bridges.") for number in range(1000)]


def test_about_a_tenth_is_held_out_and_none_is_on_both_sides() -> None:
    split = split_claims(CLAIMS)
    assert len(split.held_out) == pytest.approx(HELD_OUT * len(CLAIMS), rel=0.25)
    assert len(split.train) + len(split.held_out) == len(CLAIMS)
    assert not {claim.claim for claim in split.train} & {claim.claim for claim in split.held_out}


def test_equal_texts_fall_on_one_side() -> None:
    twins = [Claim(f"  {claim.claim.upper()}\n".replace(" ", "  ")) for claim in CLAIMS]
    assert [is_held_out(claim.claim) for claim in CLAIMS] == [is_held_out(claim.claim) for claim in twins]
    split = split_claims([*CLAIMS, *twins])
    assert not {same(claim.claim) for claim in split.train} & {same(claim.claim) for claim in split.held_out}


def test_claims_of_the_other_split_are_left_out() -> None:
    dev = [Claim(CLAIMS[3].claim.lower()), Claim(CLAIMS[500].claim + " "), Claim("Another one.")]
    split = split_claims(CLAIMS, dev)
    assert split.left_out == 2
    used = {same(claim.claim) for claim in [*split.train, *split.held_out]}
    assert not used & {same(claim.claim) for claim in dev}


def test_punctuation_makes_no_other_claim() -> None:
    held_out = next(claim for claim in CLAIMS if is_held_out(claim.claim))
    bare = Claim(held_out.claim.removesuffix(".") + (" !" if is_held_out(held_out.claim.removesuffix(".")) else ""))
    assert not is_held_out(bare.claim)
    split = split_claims([*CLAIMS, bare])
    assert bare not in [*split.train, *split.held_out]
    assert split.repeated == 1
    assert split_claims([*CLAIMS, bare], [held_out]).left_out == 2
    assert same("-- ?") == "-- ?"


def test_train_and_dev_share_eight_claims(shared_data: Path) -> None:
    train, dev = (read_claims(shared_data / f"averitec/{name}.json") for name in ("train", "dev"))
    split = split_claims(train, dev)
    assert len({same(claim.claim) for claim in train} & {same(claim.claim) for claim in dev}) == 8
    assert split.left_out == 13
    assert sum(split.counts.values()) == len(train)


def test_a_share_takes_from_the_training_claims_alone() -> None:
    whole, fifth = split_claims(CLAIMS), split_claims(CLAIMS, share=0.2)
    assert fifth.held_out == whole.held_out
    assert len(fifth.train) == pytest.approx(0.2 * len(whole.train), rel=0.25)
    assert {claim.claim for claim in fifth.train} <= {claim.claim for claim in whole.train}
    assert fifth.unused == len(whole.train) - len(fifth.train)


def test_too_few_claims_are_refused() -> None:
    with pytest.raises(InputError, match="too few"):
        split_claims(CLAIMS, CLAIMS)
    with pytest.raises(InputError, match="0 claims to train on"):
        split_claims(CLAIMS, share=0.0)
