"""Pairs of a draft with planted errors and a revision of known merit, and how often the gate rejects them."""

from collections.abc import Sequence

import pytest

from bench.acceptance import RIGHT, WRONG, Form, Pair, lines, measured, pairs, reasons
from src.explanation.checks.checker import checker
from src.explanation.records import ExplainedClaim
from src.explanation.synthetic_errors.records import Kind
from src.explanation.synthetic_errors.scene import Scene, scenes
from src.explanation.synthetic_errors.word_lists import TEST
from src.records import QAPair
from src.spacy_pipelines import FROM_PYPI, load
from src.text import sentences

ANSWER = (
    "The council of Norwich counted 412 swimming eels in May 2019. The river has been clean since the old mill closed."
    " Many people of Norwich visit the river in summer."
)
SAID = f"{ANSWER} So the claim is refuted."


@pytest.fixture(scope="module")
def all_scenes() -> Sequence[Scene]:
    claims = [
        ExplainedClaim(number, "Eels fly in Norwich.", "Refuted", [QAPair("Do eels fly?", ANSWER)], explanation=SAID)
        for number in range(6)
    ]
    return list(scenes(claims, load(FROM_PYPI, [])))


@pytest.fixture(scope="module")
def made(all_scenes: Sequence[Scene]) -> list[Pair]:
    return list(pairs("AVeriTeC", all_scenes, TEST, 6, 0))


def test_right_revisions_leave_errors_out_and_wrong_ones_bring_one_in(made: list[Pair]) -> None:
    assert [one.form in RIGHT for one in made] == [True, False] * 6
    for one in made:
        assert one.draft.explanation not in (SAID, one.revision)
        if one.form is Form.BOTH_MENDED:
            assert one.revision == SAID
        if one.form is Form.DROPPED:
            assert set(sentences(one.revision)) < set(sentences(SAID))
        assert len(set(one.kinds)) == (2 if one.form in (Form.BOTH_MENDED, Form.DROPPED) else 1)


def test_the_gate_accepts_right_revisions_and_rejects_plainly_wrong_ones(made: list[Pair]) -> None:
    why = reasons(made, checker())
    assert [reason for pair, reason in zip(made, why, strict=True) if pair.form in RIGHT] == [""] * 6
    plain = (Kind.EXTRINSIC_ENTITY, Kind.EXTRINSIC_NUMBER, Kind.FLIPPED_CONCLUSION)
    wrong = [reason for pair, reason in zip(made, why, strict=True) if pair.form in WRONG and pair.kinds[0] in plain]
    assert wrong
    assert all(wrong)


def test_shares_are_of_forms_and_kinds(made: list[Pair]) -> None:
    why = ["" if one.form in RIGHT else 'the revision says "1913", but no' for one in made]
    result = measured("report", made, why, 0)
    shares = {row.form: (row.rejected.n, row.rejected.share) for row in result.forms if row.source == "all"}
    assert (shares["right revisions"], shares["wrong revisions"]) == ((6, 0.0), (6, 1.0))
    assert result.reasons == {}
    assert any("right revisions" in line for line in lines(result))
