"""The stacked verdict: its computation, its verdicts and its files."""

import math
import re
from pathlib import Path

import msgspec
import pytest

from src.errors import InputError
from src.llm.adapter import WEIGHTS, read_adapter
from src.models.classifier import CachedClassifier
from src.models.entailment import Entailment
from src.models.veracity import JointVerdict
from src.prediction.verdicts import CAREFUL
from src.records import VERDICTS, Evidence, Level, QAPair, Side, Verdict
from src.stance.levels import Levels, Limits
from src.stance.reader import READER, StanceReader
from src.stance.readings import FEATURES, Readings
from src.stance.stacker import (
    STACKER,
    TASK,
    StackedVerdict,
    Stacker,
    is_stacker,
    load_stacked_verdict,
    passage_of,
    passages_of,
    read_stacker,
    readers_of,
)
from src.store import sha256
from tests.stance.scripted import INFO, ScriptedClassifier, ScriptedJoint, reader, scripted_reading

LIMITS = dict.fromkeys(VERDICTS, Limits(0.9, 0.6))
LEVELS = Levels(LIMITS, least=0.05, alpha=0.1, claims=100, precision={Level.FIRM: 0.9})


def stacker() -> Stacker:
    """Return a stacker: Supported by `for_1`, Refuted by `against_1`, Not Enough Evidence if neither is high."""
    weights = [[0.0] * len(FEATURES) for _ in VERDICTS]
    weights[0][FEATURES.index("for_1")] = 2.0
    weights[1][FEATURES.index("against_1")] = 2.0
    rows = tuple(map(tuple, weights))
    zeros, ones = (0.0,) * len(FEATURES), (1.0,) * len(FEATURES)
    return Stacker(TASK, ScriptedJoint.members, FEATURES, zeros, ones, rows, (0.0, 0.0, 0.0, -3.0), LEVELS)


def evidence(*answers: str) -> Evidence:
    return Evidence(0, "Eels swim.", [QAPair("Do eels swim?", answer, "https://a.example/") for answer in answers])


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("means", (0.0,), "means: 1 numbers for"),
        ("weights", ((0.0,),) * 4, r"weights\[0\]: 1 numbers for"),
        ("biases", (0.0,), "is damaged"),
        ("scales", (0.0,) * len(FEATURES), "no scale of 0"),
    ],
)
def test_a_damaged_file_is_refused(field: str, value: object, message: str, tmp_path: Path) -> None:
    damaged = msgspec.structs.replace(stacker(), **{field: value})
    (tmp_path / STACKER).write_bytes(msgspec.json.encode(damaged))
    with pytest.raises(InputError, match=message):
        read_stacker(tmp_path)


def test_log_probabilities_are_a_softmax_of_the_weighted_features() -> None:
    scores = stacker().log_probabilities([1.0, *[0.0] * (len(FEATURES) - 1)])
    powers = [math.exp(2.0), 1.0, 1.0, math.exp(-3.0)]
    assert scores == pytest.approx([math.log(one / sum(powers)) for one in powers])


def test_verdict_level_and_set() -> None:
    model = StackedVerdict(stacker(), Readings([ScriptedJoint()]), reader()[0])
    supported, refuted, none = model.judge(
        [evidence("Yes, all of them do."), evidence("No, none of them does."), evidence("Trout are fish of the river.")]
    )
    assert (supported.verdict, refuted.verdict, none.verdict) == VERDICTS[:3]
    assert supported.level is Level.FIRM
    assert supported.verdict_set == [Verdict.SUPPORTED]
    assert [one.sides for one in (supported, refuted, none)] == [[Side.FOR], [Side.AGAINST], [Side.NEITHER]]
    assert none.probabilities is not None
    assert sum(none.probabilities.values()) == pytest.approx(1, abs=1e-5)


def test_the_verdict_depends_on_the_evidence() -> None:
    model = StackedVerdict(stacker(), Readings([ScriptedJoint()]), reader()[0])
    with_it, without = model.judge([evidence("Yes, all of them do.", "Trout are fish of the river."),
                                    evidence("Trout are fish of the river.")])  # fmt: skip
    assert with_it.probabilities is not None
    assert without.probabilities is not None
    assert with_it.probabilities[Verdict.SUPPORTED] > 0.9 > 0.4 > without.probabilities[Verdict.SUPPORTED]


def test_repetitions_alone_are_not_enough_evidence() -> None:
    model = StackedVerdict(stacker(), Readings([ScriptedJoint()]), reader()[0])
    repeated, other = model.judge([evidence("A post says: Eels swim."), evidence("Yes, all of them do.")])
    assert (repeated.verdict, repeated.level) == (Verdict.NOT_ENOUGH_EVIDENCE, Level.UNDECIDED)
    assert repeated.verdict_set == list(VERDICTS)
    assert repeated.sides == [Side.REPEATS]
    assert repeated.counts == {"only_repeated": 1}
    assert other.verdict is Verdict.SUPPORTED


def test_evidence_about_another_name_decides_nothing() -> None:
    model = StackedVerdict(stacker(), Readings([ScriptedJoint()]), reader()[0])
    about_berg = QAPair("Does Anton Weiss swim?", "Yes, Carla Berg swims there in May.", "https://a.example/")
    about_weiss = QAPair("Does Anton Weiss swim?", "Yes, Weiss swims there in May.", "https://b.example/")
    claims = [Evidence(0, "Anton Weiss swims.", pairs) for pairs in ([about_berg], [about_berg, about_weiss])]
    unnamed, named = model.judge(claims)
    assert (unnamed.unnamed, unnamed.level, unnamed.verdict) == ("Anton Weiss", Level.UNDECIDED, Verdict.SUPPORTED)
    assert unnamed.verdict_set == list(VERDICTS)
    assert unnamed.counts == {"texts": 1, "subject_unnamed": 1}
    assert (named.unnamed, named.level, named.counts) == ("", Level.FIRM, {"texts": 1})


def test_reposts_change_nothing() -> None:
    model = StackedVerdict(stacker(), Readings([ScriptedJoint()]), reader()[0])
    answers = ["Yes, all of them do.", "No, none of them does."]
    posts = [f"Share this, number {number}: eels swim!" for number in "abcd"]
    alone, reposted = model.judge([evidence(*answers), evidence(*posts, *answers)])
    assert reposted == msgspec.structs.replace(alone, sides=[*[Side.REPEATS] * 4, *(alone.sides or [])])


def test_a_bare_answer_is_read_with_its_question() -> None:
    assert passage_of(QAPair("Do eels swim?", "No", "https://a.example/")).text == "Do eels swim? No"
    assert passage_of(QAPair("Do eels swim?", "No", "")).text == "Do eels swim? No"
    assert (
        passage_of(QAPair('What does text:1 say about the claim "Eels swim"?', "Nothing.", "text:1")).text == "Nothing."
    )
    assert passage_of(QAPair("Do eels swim?", "They do so in every year.", "u")).text == "They do so in every year."


def saved(folder: Path, **changed: object) -> Path:
    """Write a stacker that was fitted on the scripted reader, and return its folder."""
    own = {"readers": (str(scripted_reading().info.sha256),)} | changed
    (folder / STACKER).write_bytes(msgspec.json.encode(msgspec.structs.replace(stacker(), **own)))
    return folder


def test_the_model_that_it_was_fitted_on(tmp_path: Path) -> None:
    assert is_stacker(saved(tmp_path))
    model = load_stacked_verdict(tmp_path, lambda _: scripted_reading())
    assert model.judge([evidence("Yes, all of them do.")])[0].verdict is Verdict.SUPPORTED


def test_a_missing_or_superfluous_second_reader_is_refused_before_one_is_loaded(tmp_path: Path) -> None:
    second, numbers = tmp_path / "second_reader", (1.0,) * len(FEATURES) * 2
    sizes = {"means": numbers, "scales": numbers, "weights": (numbers,) * len(VERDICTS)}
    anew = "or fit the stacker on what is there: src.training.fit_stacker --readers"
    saved(tmp_path, readers=("1" * 64,) * 2, **sizes)
    message = f"has a second reader, but {second}/training.json is not there; bring it, {anew} {READER}"
    with pytest.raises(InputError, match=re.escape(message) + "$"):
        load_stacked_verdict(tmp_path, lambda _: pytest.fail("was loaded"))
    saved(tmp_path)
    second.mkdir()
    (second / "training.json").touch()
    message = f"has one reader, but {second} is there; remove it, {anew} {READER} {second}"
    with pytest.raises(InputError, match=re.escape(message)):
        load_stacked_verdict(tmp_path, lambda _: pytest.fail("was loaded"))


def test_the_details_include_the_second_reader() -> None:
    second = ScriptedJoint()
    second.info = msgspec.structs.replace(INFO, name="other", engine="llama.cpp", sha256="3" * 64, deterministic=False)
    info = StackedVerdict(stacker(), Readings([ScriptedJoint(), second]), reader()[0], "two").info
    assert (info.name, info.sha256, info.engine, info.deterministic) == ("two", INFO.sha256, "none, llama.cpp", False)
    assert info.details["stacked_on"] == "scripted, other"
    assert (info.details["second_reader_engine"], info.details["second_reader_sha256"]) == ("llama.cpp", "3" * 64)


def test_another_model_is_refused_with_two_ways_out(tmp_path: Path) -> None:
    message = (
        f"field readers: was fitted on another model than {READER}; put that model into {tmp_path}/reader, "
        f"or fit the stacker on what is there: src.training.fit_stacker --readers {READER}"
    )
    with pytest.raises(InputError, match=re.escape(message)):
        load_stacked_verdict(saved(tmp_path, readers=("2" * 64,)), lambda _: scripted_reading())


def test_a_stacker_reads_with_the_models_beside_it(tmp_path: Path) -> None:
    own, second = tmp_path / "reader", tmp_path / "second_reader"
    assert readers_of(None) == readers_of(saved(tmp_path)) == {"reader": READER}
    for folder in (own, second):
        folder.mkdir()
    assert readers_of(tmp_path) == {"reader": READER}  # nothing in them
    (second / "training.json").touch()
    assert readers_of(tmp_path) == {"reader": READER, "second_reader": second}
    (own / "training.json").touch()
    assert list(readers_of(tmp_path).items()) == [("reader", own), ("second_reader", second)]
    (tmp_path / STACKER).unlink()
    assert readers_of(tmp_path) == {"reader": READER}  # no stacker


def test_other_features_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="was fitted on other features"):
        load_stacked_verdict(saved(tmp_path, features=("for_1",)), lambda _: scripted_reading())


def test_stance_and_verdict_read_a_passage_once() -> None:
    classifier = ScriptedClassifier()
    reading = CachedClassifier(classifier)
    shown = evidence("Yes, all of them do.", "Trout are fish of the river.")
    StanceReader(Entailment(reading)).stances([(shown.claim, passages_of(shown.evidence))])
    StackedVerdict(stacker(), Readings([JointVerdict([reading])]), StanceReader(Entailment(reading))).judge([shown])
    assert [len(one[1]) for one in classifier.inputs] == [1, 1, 2]


def test_the_careful_stacker_was_fitted_on_its_readers() -> None:
    assert readers_of(CAREFUL) == {"reader": READER, "second_reader": CAREFUL / "second_reader"}
    second = read_adapter(CAREFUL / "second_reader")
    assert read_stacker(CAREFUL).readers == (sha256(READER / WEIGHTS), second.sha256)
