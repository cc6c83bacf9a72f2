"""METEOR against NLTK's own function: equal floats, not close ones."""

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.translate.meteor_score import align_words, single_meteor_score

from src.errors import MissingExtra
from src.evaluation import meteor as module
from src.evaluation.averitec import gold_strings
from src.evaluation.meteor import Words, align, meteor
from src.prediction.prediction_files import read_guesses
from src.records import Claim
from src.text import words

# Few words, so that they repeat; with shared stems and with synonyms that overlap.
FEW = [*("the", "The", "a", ".", "?"), *("dog", "dogs", "hound", "Hound"), *("run", "runs", "running", "ran", "go")]
FEW += [*("car", "automobile", "auto"), *("big", "large", "great", "bad", "badly")]
texts = st.lists(st.sampled_from(FEW) | st.text(max_size=4), max_size=25)


@given(reference=texts, hypothesis=texts)
@settings(max_examples=300, deadline=None)
def test_score_is_that_of_nltk(reference: list[str], hypothesis: list[str]) -> None:
    assert meteor(Words(reference), Words(hypothesis)) == single_meteor_score(reference, hypothesis)


@given(reference=texts, hypothesis=texts)
@settings(max_examples=200, deadline=None)
def test_alignment_is_that_of_nltk(reference: list[str], hypothesis: list[str]) -> None:
    expected, _, _ = align_words(hypothesis, reference)
    assert sorted(align(Words(reference), Words(hypothesis)).items()) == expected


def test_real_pairs_score_as_in_nltk(averitec: Path, dev_claims: list[Claim]) -> None:
    guesses = read_guesses(averitec / "peers" / "hero_dev_veracity_prediction_8b.jsonl.gz")
    chance = random.Random(0)
    for _ in range(300):
        place = chance.randrange(len(dev_claims))
        pair = chance.choice(guesses[place].pairs)
        reference = words(chance.choice(gold_strings(chance.choice(dev_claims[place].questions))))
        hypothesis = words(f"{pair.question} {pair.answer}")
        assert meteor(Words(reference), Words(hypothesis)) == single_meteor_score(reference, hypothesis)


@pytest.mark.parametrize("length", [1, 2, 5, 30])
def test_a_text_with_itself_is_just_under_one(length: int) -> None:
    text = Words([f"w{place}" for place in range(length)])
    assert meteor(text, text) == pytest.approx(1 - 0.5 / length**3)


@pytest.mark.parametrize(("reference", "hypothesis"), [([], []), (["a"], []), ([], ["a"]), (["a"], ["b"])])
def test_nothing_in_common_is_zero(reference: list[str], hypothesis: list[str]) -> None:
    assert meteor(Words(reference), Words(hypothesis)) == 0.0


def test_it_matters_which_text_is_the_reference() -> None:
    short, long = Words(["a", "dog"]), Words(["a", "dog", "and", "another", "one"])
    assert meteor(short, long) > meteor(long, short)  # recall weighs nine times as much


def test_the_last_free_word_is_taken_first() -> None:
    assert align(Words(["dog", "dog"]), Words(["dog"])) == {0: 1}


def test_another_nltk_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.metadata.version", lambda name: "3.10.0")
    with pytest.raises(MissingExtra, match=r"3\.9\.1 is needed \(found 3\.10\.0\)"):
        module._stemmer.__wrapped__()
