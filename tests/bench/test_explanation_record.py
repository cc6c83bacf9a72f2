"""What methods wrote is settled anew from its record: by the checks of the day, and blindly."""

from pathlib import Path

import msgspec
import pytest

from bench.explanation_record import BLIND, Record, Written, in_the_end, read_record, write_record
from bench.explanations import debates_of
from src.explanation.checks.checker import checker
from src.explanation.records import Debate, ExplainedClaim, Stop, Turn
from src.explanation.scoring.records import MeanCost
from src.records import QAPair

CLAIM = ExplainedClaim(0, "Eels fly.", "Refuted", [QAPair("Do eels fly?", "Eels swim in rivers, since 1912.")])
DRAFT = "Eels swim in 1913 rivers; so the claim is refuted."


def debated(method: str, *texts: str, stop: Stop = Stop.CAP) -> Debate:
    agent = {"madr": "refiner", "debate": "debater_1"}[method]
    return Debate(stop, 1, 7, 0, False, [Turn(agent, 1, text) for text in texts], DRAFT, method)


def record(debate: Debate) -> Record:
    written = {"zero_shot": [Written(0, DRAFT, [[1]])], debate.method: [Written(0, DRAFT, [[1]], debate)]}
    return Record(1, {"zero_shot": MeanCost(1.0), debate.method: MeanCost(8.0)}, written)


@pytest.mark.parametrize(
    ("text", "in_end", "blind"),
    [
        ("Eels swim in rivers. [1]", "Eels swim in rivers. So the claim is refuted.", "Eels swim in rivers."),
        ("Eels swim in 1914 rivers.", DRAFT, "Eels swim in 1914 rivers."),
    ],
)
def test_a_revision_is_accepted_or_not_and_taken_blindly(text: str, in_end: str, blind: str, tmp_path: Path) -> None:
    path = tmp_path / "r.gz"
    write_record(record(debated("madr", text)), [CLAIM], path)
    texts = in_the_end(read_record(path, lambda each: [CLAIM] * each), "zero_shot", [CLAIM], checker())
    assert {name: them[0].explanation for name, them in texts.items()} == {
        "zero_shot": DRAFT, "madr": in_end, f"madr{BLIND}": blind,
    }  # fmt: skip
    assert texts["madr"][0].debate is not None
    assert texts["madr"][0].debate.accepted is (in_end != DRAFT)
    assert texts["madr"][0].evidence == CLAIM.evidence


def test_what_is_copied_from_the_evidence_is_not_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "r"
    others = "Long after the flood of that year, two fishermen of the village counted the eels below the mill again."
    changed = msgspec.structs.replace(CLAIM, evidence=[QAPair("Who counted?", others)])
    sizes = []
    for known in ([changed], [CLAIM]):
        write_record(Record(1, {}, {"cot": [Written(0, others)]}), known, path)
        assert read_record(path, known.__mul__).written["cot"][0].explanation == others
        sizes.append(len(path.read_bytes()))
    assert sizes[0] < sizes[1] - 60


def test_the_last_text_is_the_last_that_can_be_read() -> None:
    texts = ("Eels swim.", "Eels swim in rivers.", '{"errors": []}')
    debate = debated("debate", *texts, stop=Stop.AGENT_FAILED)
    other = Turn("debater_2", 1, "Eels eat.")
    for turns, text in (([*debate.transcript, other], "Eels swim in rivers."), ([other], DRAFT)):
        known = record(msgspec.structs.replace(debate, transcript=turns))
        assert in_the_end(known, "zero_shot", [CLAIM], checker())[f"debate{BLIND}"][0].explanation == text


def test_a_line_counts_the_accepted_revisions_of_a_method() -> None:
    debate = debated("madr", DRAFT)
    debate.transcript.append(Turn("judge", 1, "False", agreed=False))
    expected = record(debate)
    in_the_end(expected, "zero_shot", [CLAIM], checker())
    assert debates_of(expected) == [
        "madr: 1 revision of 1 draft, 0 accepted, 1 the draft again; the judge agreed 0 times of 1"
    ]
