"""Claims with passages as a pipeline finds them: evidence is among other passages, or left out."""

from pathlib import Path

import pytest

from src.records import VERDICTS, Answer, AnswerType, Claim, Question, Verdict
from src.stance.stacker import MOST
from src.training.entailment.pack import is_held_out
from src.training.passages.mixed import ClaimWithPassages, averitec_claims
from src.training.passages.pack import BOTH_SIDES, PACK_SETS, both_sides, contrast_claims, pack_claims
from tests.training.small_pack import rows_of, write_pack, write_set

pytestmark = pytest.mark.long

WORDS = (
    "amber", "bridge", "candle", "dragon", "ember", "falcon", "garden", "harbor", "island", "jacket", "kettle",
    "ladder", "marble", "needle", "orchard", "pepper", "quarry", "ribbon", "saddle", "temple", "umbrella", "violin",
    "window",
)  # fmt: skip


def small_claims() -> list[Claim]:
    """Return claims that share few words with each other; every third word also occurs in the neighboring claims."""
    return [
        Claim(
            f"The {one} of the mayor has a {WORDS[place - 1]}.",
            place,
            Verdict.SUPPORTED if place % 2 else Verdict.REFUTED,
            questions=[
                Question(
                    f"What has the {one}?",
                    [Answer(f"The {one} has a {WORDS[place - 1]} since {1900 + place}.", AnswerType.EXTRACTIVE)],
                )
            ],
        )
        for place, one in enumerate(WORDS)
    ]


def test_claims_that_share_half_of_their_words_give_no_distractors() -> None:
    same = [
        Claim("The amber of the mayor shines.", 0, Verdict.SUPPORTED, questions=small_claims()[0].questions),
        Claim("The amber of the mayor shines now.", 1, Verdict.REFUTED, questions=small_claims()[1].questions),
    ]
    claims = averitec_claims(same, same, 0)
    assert len(claims) == 2
    for one in claims:
        assert one.label is not Verdict.NOT_ENOUGH_EVIDENCE
        assert sum("since" in passage.text for passage in one.passages) == 1


@pytest.fixture(scope="module")
def mixed() -> list[ClaimWithPassages]:
    claims = small_claims()
    return averitec_claims(claims, claims, 0)


def test_without_its_evidence_a_claim_is_not_enough_evidence(mixed: list[ClaimWithPassages]) -> None:
    by_claim = {claim.claim: claim for claim in small_claims()}
    left_out = 0
    for one in mixed:
        gold = {answer.answer for question in by_claim[one.claim].questions for answer in question.answers}
        holds_gold = any(answer and answer in passage.text for answer in gold for passage in one.passages)
        if not holds_gold:
            left_out += 1
            assert one.label is Verdict.NOT_ENOUGH_EVIDENCE
        assert 1 <= len(one.passages) <= MOST
    assert left_out


def test_claims_to_train_on_are_none_of_the_held_out_ones(tmp_path: Path) -> None:
    pack = write_pack(tmp_path)
    learned, held_out = (pack_claims(pack, 0, held_out=which) for which in (False, True))
    assert learned
    assert not {one.key for one in learned} & {one.key for one in held_out}
    assert not any(number_is_held_out(one.claim) for one in learned)
    assert len(pack_claims(pack, 0, 3, held_out=False)) == 3 * len(PACK_SETS)


def test_half_of_the_rows_with_conflicting_evidence_are_held_out(tmp_path: Path) -> None:
    pack = write_pack(tmp_path)
    rows = rows_of("liar_plus", 60)
    for row in rows:
        row["verdict"] = Verdict.CONFLICTING.value
    write_set(pack, "liar_plus", rows)
    counts = [
        sum(one.label is Verdict.CONFLICTING for one in pack_claims(pack, 0, held_out=which)) for which in (False, True)
    ]
    assert sum(counts) == sum(row["split"] != "test" and "in_test_of" not in row for row in rows)
    assert min(counts) > 15


def test_a_claim_that_rows_support_and_refute_has_conflicting_evidence(tmp_path: Path) -> None:
    pack = write_pack(tmp_path)
    rows = rows_of(BOTH_SIDES[0])
    for supported, refuted in zip(rows[::3], rows[1::3], strict=False):
        refuted["claim"] = supported["claim"]
        refuted["evidence"] = [f"Not so: {supported['claim']}"]
    write_set(pack, BOTH_SIDES[0], rows)
    claims = both_sides(pack, 0, 5)
    assert len(claims) == 5
    assert {one.label for one in claims} == {Verdict.CONFLICTING}
    for one in claims:
        texts = [passage.text for passage in one.passages]
        assert f"Not so: {one.claim}" in texts


def test_changed_evidence_makes_four_labels(tmp_path: Path) -> None:
    pack = write_pack(tmp_path)
    rows = rows_of("fm2", 1500)
    for number, row in enumerate(rows):
        name = f"{WORDS[number % 23]} {WORDS[number // 23 % 23]} {WORDS[number // 529]}"
        row["claim"] = f"The ferry of the {name} was built in Oslo in {1900 + number % 90}."
        row["evidence"] = [f"It was built in Oslo in {1900 + number % 90}.", f"The ferry of the {name} has a bar."]
    write_set(pack, "fm2", rows)
    claims = [one for one in contrast_claims(pack, 0) if "ferry of" in one.claim]
    assert {one.label for one in claims} == set(VERDICTS)
    for one in claims:
        assert number_is_held_out(one.claim)
        ferry, _, proof = one.claim.partition(" was ")
        own = [passage.text for passage in one.passages if f"{ferry} has a bar." in passage.text]
        proven = any(proof in shown for shown in own)
        assert proven is (one.label in (Verdict.SUPPORTED, Verdict.CONFLICTING))
        assert len(own) == (2 if one.label is Verdict.CONFLICTING else 1)
    assert contrast_claims(pack, 0) == contrast_claims(pack, 0)


def number_is_held_out(claim: str) -> bool:
    from src.training.entailment.pack import PackRow

    return is_held_out(PackRow("x", claim, (), "train"))
