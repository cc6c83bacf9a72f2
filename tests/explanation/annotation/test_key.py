"""The author's key, and how far someone agrees with it."""

from pathlib import Path

import pytest

from src.errors import InputError
from src.explanation.annotation.screening import Key, agreement, by_text, read_key, weak_rounds
from src.store import encode_lines
from tests.explanation.annotation.studies import EE, Ticks, claims, key_of, nothing, rated, right, wrong


@pytest.mark.parametrize(("ticks", "expected"), [(right, 1.0), (nothing, 0.5), (wrong, 0.0)])
def test_who_ticks_nothing_agrees_by_half(ticks: Ticks, expected: float) -> None:
    study = claims()
    own = by_text(rated("ann", study.keyed, ticks))
    assert agreement(study.keyed, own, key_of(study).ratings) == expected


def test_sentences_of_one_kind_alone_are_the_whole_agreement() -> None:
    study = claims()
    clean = by_text(rated("author", study.keyed, nothing))
    own = by_text(rated("ann", study.keyed, right))
    assert agreement(study.keyed, own, clean) == pytest.approx(2 / 3)  # two of a claim's three sentences
    assert agreement(study.keyed, {}, clean) is None


def test_a_round_with_few_errors_in_the_key_is_named() -> None:
    study = claims()
    mixed = Key("author", by_text([*rated("author", study.keyed, right), *rated("author", study.rounds[1], nothing)]))
    assert weak_rounds(study, mixed) == [
        "round 1 has 1 sentence with an error in the key: a single slip decides it",
        "round 2 has 0 sentences with an error in the key: who ticks nothing passes it",
    ]
    all_wrong = by_text(rated("author", study.keyed, lambda task: [[EE] for _ in task.shown.sentences]))
    assert weak_rounds(study, Key("author", all_wrong)) == []


def test_a_key_is_whole_and_of_one_author(tmp_path: Path) -> None:
    study, path = claims(), tmp_path / "key.jsonl"
    whole = rated("author", study.keyed, right)
    path.write_bytes(encode_lines(whole))
    assert read_key(path, study) == key_of(study)
    path.write_bytes(encode_lines(whole[:-1]))
    with pytest.raises(InputError, match=r"1 of 6 explanations of the key are not rated; go on with: annotate --study"):
        read_key(path, study)
    path.write_bytes(encode_lines([*whole, *rated("eve", study.keyed, right)]))
    with pytest.raises(InputError, match=r"key\.jsonl: a key is of one author, this one of author, eve"):
        read_key(path, study)
    path.write_bytes(b"")
    with pytest.raises(InputError, match=r"6 of 6 explanations"):
        read_key(path, study)
