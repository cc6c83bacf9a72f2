"""The check for justifications that do not bear on their claim, and those that it does not read."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from src.explanation.checks.bearing import Bearing, reasons
from src.explanation.checks.checker import Checker, checker
from src.explanation.labels import CONCLUSIONS, conclusion
from src.explanation.records import ExplainedClaim
from src.explanation.synthetic_errors.planting import planted_copies, replaced
from src.explanation.synthetic_errors.records import Kind
from src.explanation.synthetic_errors.scene import Neighbors, elsewhere, scenes
from src.explanation.synthetic_errors.scores import as_explained, recall
from src.explanation.synthetic_errors.word_lists import TEST
from src.explanation.typology import ErrorType
from src.models.entailment import Entailed, Premise
from src.records import QAPair, Verdict
from src.reranking.hybrid.own_words import own_words
from src.spacy_pipelines import FROM_PYPI, load

MILL = ExplainedClaim(
    0, "The old mill of Lund burned in 1950.", Verdict.SUPPORTED,
    [QAPair("When did the mill burn?", "Newspapers report that the old mill of Lund burned in 1950.")],
    explanation="Newspapers report that the old mill of Lund burned in 1950.",
)  # fmt: skip
BRIDGE = ExplainedClaim(
    1, "The bridge of Malmo was closed by the town for repairs.", Verdict.REFUTED,
    [QAPair("Is the bridge open?", "Cars crossed the bridge of Malmo on every day of that long winter.")],
    explanation="Cars crossed the bridge of Malmo on every day of that long winter.",
)  # fmt: skip


class SharedWords:
    """Entailment model: a premise with half of the claim's words entails it, others are neutral. Records premises."""

    def __init__(self) -> None:
        self.asked: list[Premise] = []

    def scores(self, premises: Sequence[Premise]) -> list[Entailed]:
        self.asked += premises
        return [self._one(one) for one in premises]

    def _one(self, premise: Premise) -> Entailed:
        wanted = set(own_words(premise.hypothesis))
        words = {word for _, text in premise.passages for word in own_words(text)}
        return Entailed(0.9, 0.05, 0.05) if 2 * len(wanted & words) >= len(wanted) else Entailed(0.05, 0.05, 0.9)


def justified(text: str, label: str = Verdict.SUPPORTED) -> ExplainedClaim:
    return replace(MILL, explanation=text, label=label)


@pytest.fixture
def check() -> Checker:
    return checker(bearing=Bearing(SharedWords()))


def test_a_copied_sentence_that_bears_on_nothing_is_found(check: Checker) -> None:
    beside = "The painter of Oslo sold forty pictures."
    claim = replace(justified(f"{beside} The claim is supported."), evidence=[*MILL.evidence, QAPair("", beside)])
    assert checker().check([claim]) == [[]]
    ((finding,),) = check.check([claim])
    assert (finding.type, finding.sentence, finding.span) == (ErrorType.NO_BEARING, 0, beside)
    assert check.check([MILL, replace(claim, explanation=f"{beside} {MILL.explanation}")]) == [[], []]


@pytest.mark.parametrize(
    "text",
    [
        "The second answer shows that it is so.",
        "Supported by the evidence of a local paper.",
        "Painters sold forty pictures; this does not settle the claim.",
        "Painters sold forty pictures; this does not settle the claim, though it speaks for it.",
        "Nothing that was found bears on it, so the claim is supported.",
        "No evidence was found; the verdict is that the claim is supported.",
        "There is not enough evidence about the painter.",
        "True. It is.",
        "The claim is supported.",
        "",
    ],
)
def test_what_points_at_evidence_or_leaves_the_claim_open_is_not_read(text: str) -> None:
    assert reasons(justified(text)) == []


def test_not_enough_evidence_needs_no_reason_that_bears() -> None:
    text = f"The painter of Oslo sold forty pictures; {conclusion(Verdict.NOT_ENOUGH_EVIDENCE)}."
    claims = [
        justified(text, Verdict.NOT_ENOUGH_EVIDENCE),
        justified(text),
        justified("The painter of Oslo sold forty pictures."),
    ]
    findings = Bearing(SharedWords()).check(claims)
    assert [one is not None for one in findings] == [False, False, True]


def test_words_of_a_copied_sentence_neither_point_nor_leave_open() -> None:
    copied = "The sources of the river could not be found by 40 painters."
    claim = replace(justified(copied), evidence=[QAPair("", copied)])
    assert reasons(claim) == [copied.rstrip(".") + "."]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("The second answer shows that it is so. Painters sold forty pictures.", ["Painters sold forty pictures."]),
        ("Painters sold forty pictures. The sources say so.", ["Painters sold forty pictures."]),
        ("The source says that painters sold forty pictures. True.", []),
        (
            "For the claim: Painters sold forty pictures. Against it: Nobody bought any.",
            ["Painters sold forty pictures.", "Nobody bought any."],
        ),
        ("For the claim: Painters sold forty. Against it: Nobody bought; this does not settle the claim.", []),
        ("No body was found in the mill.", ["No body was found in the mill."]),
    ],
)
def test_sentences_that_point_are_left_out_and_the_others_are_read(text: str, read: list[str]) -> None:
    assert reasons(justified(text, Verdict.CONFLICTING)) == read


def test_a_sentence_that_points_is_read_with_the_others() -> None:
    model = SharedWords()
    claim = justified("Painters sold forty pictures. The answer says that the old mill of Lund burned.")
    assert Bearing(model).check([claim]) == [None]
    assert [len(one.passages) for one in model.asked] == [1, 2]
    assert Bearing(SharedWords()).check([justified("Painters sold forty pictures. The answer says so.")]) != [None]


@pytest.mark.parametrize(
    ("label", "scores", "is_found"),
    [
        (Verdict.SUPPORTED, [Entailed(0.005, 0.99, 0.005)], True),
        (Verdict.REFUTED, [Entailed(0.99, 0.005, 0.005)], True),
        (Verdict.REFUTED, [Entailed(0.005, 0.99, 0.005)], False),
        (Verdict.CONFLICTING, [Entailed(0.005, 0.99, 0.005)], False),
        ("false", [Entailed(0.99, 0.005, 0.005)], False),
        (Verdict.SUPPORTED, [Entailed(0.1, 0.85, 0.05)], False),
        (Verdict.SUPPORTED, [Entailed(0.0, 1.0, 0.0), Entailed(0.35, 0.05, 0.6), Entailed(0.1, 0.8, 0.1)], False),
        (Verdict.SUPPORTED, [Entailed(0.0, 1.0, 0.0), Entailed(0.1, 0.3, 0.6), Entailed(0.1, 0.8, 0.1)], True),
    ],
)
def test_a_justification_on_the_other_side_alone(label: str, scores: list[Entailed], is_found: bool) -> None:
    class Says:
        def scores(self, premises: Sequence[Premise]) -> list[Entailed]:
            return scores

    text = "The old mill burned down. It was rebuilt at once." if len(scores) > 1 else "The old mill burned down."
    (finding,) = Bearing(Says()).check([justified(text, label)])
    assert (finding is not None and finding.reason.endswith(f"other side than the verdict, {label}")) is is_found
    assert (finding is not None) is is_found


@pytest.mark.parametrize("label", list(CONCLUSIONS))
def test_the_verdict_is_no_part_of_the_reason(label: str) -> None:
    claim = justified(f"Painters sold forty pictures; {conclusion(label)}.", label)
    read = reasons(claim)
    assert "supported" not in " ".join(read)
    assert [one for one in read if "claim" in one] == []


def test_each_sentence_is_read_alone_and_with_the_others_behind_its_question() -> None:
    model = SharedWords()
    claim = justified("Newspapers report that it burned. Painters sold forty pictures.")
    assert Bearing(model).measures([claim, justified("True.")])[1] is None
    premises = [one for one in model.asked if one.hypothesis == claim.claim]
    question = MILL.evidence[0].question
    first, second = (question, "Newspapers report that it burned."), ("", "Painters sold forty pictures.")
    assert [list(one.passages) for one in premises] == [[first], [second], [first, second]]


def test_planted_explanations_are_found_and_are_in_their_evidence(check: Checker) -> None:
    prepared = list(scenes([MILL, BRIDGE], load(FROM_PYPI, [])))
    kinds = (Kind.OTHER_JUSTIFICATION, Kind.IDLE_SENTENCE)
    copies = list(planted_copies(prepared, kinds, elsewhere(prepared), TEST))
    assert [(one.of, one.planted.kind) for one in copies] == [(of, kind) for of in (0, 1) for kind in kinds]
    assert copies[0].explanation == BRIDGE.explanation
    assert copies[1].explanation.endswith("winter; so the claim is supported.")
    assert all(one.evidence == [*MILL.evidence, *BRIDGE.evidence] for one in copies[:2])
    texts = [as_explained(one, one.explanation) for one in copies]
    assert checker().check(texts) == [[], [], [], []]
    assert [one.of_type.share for one in recall(copies, check)] == [1, 1]
    assert [one.of_type.share for one in recall(copies, checker(bearing=Bearing(SharedWords(), 0.0)))] == [0, 0]


def test_no_neighbor_shares_an_answer_or_half_of_the_words() -> None:
    alike = replace(MILL, claim_id=2, claim="The old mill of Lund burned in 1960.")
    shares = replace(BRIDGE, claim_id=3, evidence=MILL.evidence)
    assert list(Neighbors([MILL, alike, shares]).of(MILL)) == []
    points = replace(BRIDGE, explanation="The claim is refuted by the first answer, which says so.")
    near = Neighbors([MILL, points])
    assert replaced(MILL, Kind.OTHER_JUSTIFICATION, near) is None
    assert replaced(MILL, Kind.IDLE_SENTENCE, near) is not None
    assert replaced(justified("x", Verdict.NOT_ENOUGH_EVIDENCE), Kind.IDLE_SENTENCE, near) is None
