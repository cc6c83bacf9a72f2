"""What a tagger learns from: each example marks the words of one planted error, and clean ones mark none."""

from functools import cache

import pytest

from src.explanation.records import ExplainedClaim
from src.explanation.synthetic_errors.records import IN_A_SENTENCE, Kind
from src.explanation.synthetic_errors.scene import Scene, elsewhere, scenes
from src.models.faithfulness import LABELS
from src.records import QAPair, Verdict
from src.spacy_pipelines import FROM_PYPI, load
from src.training.faithfulness.examples import JUSTIFICATIONS, ONE_OF_EACH, RULINGS, Drawn, TaggedSentence, tagged
from src.training.faithfulness.scores import MEAN, final_scores, held_out_scores

MILL = ExplainedClaim(
    0, "Carl Berg built the old mill of Lund in 1950.", Verdict.REFUTED,
    [
        QAPair("Who built it?", "The mill was built by Sarah Miller in 1912 for 3,000 crowns, after 7 years of work."),
        QAPair("Who is Carl Berg?", "Carl Berg is a rich painter. He and Anna Lind visited Oslo in 1950 with 40 boys."),
    ],
    claim_date="1-2-1960", speaker="Olga",
    explanation="The mill was built by Sarah Miller in 1912. It cost 3,000 crowns. The painter did not build the mill.",
)  # fmt: skip
LAKE = ExplainedClaim(
    1, "Greta Holm swam across the lake.", Verdict.SUPPORTED,
    [QAPair("Did she?", "The fishermen of three villages watched Greta Holm from their boats until late evening.")],
    explanation="The fishermen watched her.",
)  # fmt: skip


@cache
def stage() -> list[Scene]:
    return list(scenes([MILL, LAKE], load(FROM_PYPI, [])))


def examples(seed: int = 0, drawn: Drawn = JUSTIFICATIONS) -> list[TaggedSentence]:
    return tagged(stage(), elsewhere(stage()), seed, drawn)


def test_every_kind_is_there_where_all_is_measured() -> None:
    found = examples(drawn=ONE_OF_EACH)
    assert {one.kind for one in found} == {None, *IN_A_SENTENCE}
    assert [one.sentence for one in found if one.kind is None] == [said for one in stage() for said in one.said]


def test_the_marked_words_are_the_error() -> None:
    for one in examples(drawn=ONE_OF_EACH):
        assert LABELS[one.label] == (one.kind.type.value if one.kind else "none")
        marked = one.sentence[one.start : one.end]
        assert marked == marked.strip()
        assert bool(marked) == (one.kind is not None)
    swapped = {one.sentence: one.sentence[one.start : one.end] for one in examples(drawn=ONE_OF_EACH)
               if one.kind is Kind.INTRINSIC_NUMBER}  # fmt: skip
    for sentence, marked in swapped.items():
        assert marked in ("1950", "40", "7", "3,000", "1912")
        assert sentence not in stage()[0].said


def test_names_and_numbers_of_the_source_are_drawn_several_times() -> None:
    found = examples()
    numbers = {one.sentence for one in found if one.kind is Kind.INTRINSIC_NUMBER}
    assert len(numbers) > 1
    assert len(numbers) == sum(one.kind is Kind.INTRINSIC_NUMBER for one in found)


def test_of_rulings_all_clean_sentences_are_learned_from_and_fewer_swaps() -> None:
    found = examples(drawn=RULINGS)
    assert [one.sentence for one in found if one.kind is None] == [said for one in stage() for said in one.said]
    swaps = (Kind.INTRINSIC_ENTITY, Kind.INTRINSIC_NUMBER, Kind.INTRINSIC_EVENT)
    assert 0 < sum(one.kind in swaps for one in found) < sum(one.kind in swaps for one in examples())


def test_what_is_drawn_depends_on_the_seed() -> None:
    assert examples(3) == examples(3)
    assert any(examples(seed) != examples(0) for seed in (1, 2, 3))


def test_a_sentence_is_held_against_claim_speaker_verdict_and_evidence() -> None:
    first = examples(drawn=ONE_OF_EACH)[0]
    assert not isinstance(first.text, str)
    assert first.text[0] == first.sentence
    assert list(first.text[1])[:2] == [
        ("claim Olga 1-2-1960", MILL.claim),
        ("verdict", "so the claim is refuted"),
    ]


def test_scores_are_recall_at_few_false_alarms() -> None:
    import numpy as np

    found = examples(drawn=ONE_OF_EACH)
    right = {id(one.text): one.label for one in found}

    def knows(inputs: object) -> "np.ndarray[tuple[int, ...], np.dtype[np.float64]]":
        assert isinstance(inputs, list)
        return np.array([[float(label == right[id(one)]) for label in range(len(LABELS))] for one in inputs])

    def blind(inputs: object) -> "np.ndarray[tuple[int, ...], np.dtype[np.float64]]":
        assert isinstance(inputs, list)
        return np.zeros((len(inputs), len(LABELS)))

    assert held_out_scores(knows, found)[MEAN] == pytest.approx(1.0)
    assert held_out_scores(blind, found)[MEAN] == 0
    assert final_scores(blind, found).floors == {MEAN: 0.02}
